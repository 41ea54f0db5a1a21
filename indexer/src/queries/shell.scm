; Definitions of shell scripts.

(function_definition name: (word) @name) @function
