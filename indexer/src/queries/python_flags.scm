; Command-line flags: argparse `add_argument`, absl and TensorFlow `DEFINE_*`, click `option`.

(call
  function: [(attribute attribute: (identifier) @function) (identifier) @function]
  arguments: (argument_list . (string)) @arguments
  (#match? @function "^(add_argument|add_arg|option|DEFINE_[a-z_]+)$")) @call
