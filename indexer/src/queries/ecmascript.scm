; Definitions that JavaScript and TypeScript share. A value that is a function is one; @exported marks the last
; child of a node as meant for others.

(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @function

(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
(variable_declarator name: (identifier) @name) @constant

(export_statement) @outer @exported
(lexical_declaration . (variable_declarator) .) @outer
(variable_declaration . (variable_declarator) .) @outer
