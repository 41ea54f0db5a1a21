; Definitions of Python. A capture's name is a symbol kind; @name is the symbol's name, @outer a node that
; starts before its last child and belongs to it, @documentation a docstring.

(function_definition name: (identifier) @name) @function

(class_definition name: (identifier) @name) @class

(module (expression_statement (assignment left: (identifier) @name) @constant))

(decorated_definition) @outer

(block . (expression_statement . (string) @documentation))

(module . (comment)* . (expression_statement . (string) @documentation))
