; Definitions of Python. A capture's name is a symbol kind; @name is the symbol's name, @outer a node that starts
; before its last child and belongs to it, @registered a name that a decorator gives it, @documentation a docstring.
; Values are matched everywhere; those in classes become fields, those in functions are dropped by their place.

(function_definition name: (identifier) @name) @function

(class_definition name: (identifier) @name) @class

(expression_statement (assignment left: (identifier) @name) @constant)
(expression_statement (assignment left: [
  (pattern_list [(identifier) @name (tuple_pattern (identifier) @name)])
  (tuple_pattern (identifier) @name)
]) @constant)
(expression_statement (assignment right: (assignment left: (identifier) @name) @constant))

(type_alias_statement left: (type (identifier) @name)) @type

(decorated_definition) @outer

(decorated_definition
  (decorator (call
    function: (_) @registrar
    arguments: (argument_list . (string) @registered)))
  (#match? @registrar "(?i)regist|datapipe|route|command")) @outer

(decorated_definition
  (decorator (call
    function: (_) @registrar
    arguments: (argument_list (keyword_argument name: (identifier) @keyword value: (string) @registered))))
  (#match? @registrar "(?i)regist|datapipe|route|command")
  (#eq? @keyword "name")) @outer

(block . (expression_statement . (string) @documentation))

(module . (comment)* . (expression_statement . (string) @documentation))
