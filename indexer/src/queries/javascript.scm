; What JavaScript alone has.

(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @function
(field_definition property: (_) @name) @field
