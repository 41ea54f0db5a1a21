; Keys and tables of TOML.

(document (pair . [(bare_key) (quoted_key)] @name) @key)
(document (pair . (dotted_key) @path) @key)

(table . [(bare_key) (quoted_key)] @name) @key
(table . (dotted_key) @path) @key
(table (pair . [(bare_key) (quoted_key)] @name) @key)
(table (pair . (dotted_key) @path) @key)

(table_array_element . [(bare_key) (quoted_key)] @name) @key
(table_array_element . (dotted_key) @path) @key
