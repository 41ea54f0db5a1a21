; Keys of JSON, three levels deep; those in lists are records.

(document (object (pair key: (string) @name) @key))
(document (object (pair value: (object (pair key: (string) @name) @key))))
(document (object (pair value: (object (pair value: (object (pair key: (string) @name) @key))))))
