; What TypeScript has beyond JavaScript.

(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @type
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(function_signature name: (_) @name) @function
(internal_module name: (_) @name) @namespace

(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @function
(public_field_definition name: (_) @name) @field
