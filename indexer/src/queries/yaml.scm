; Keys of YAML, three levels deep; those in lists are records.

(document (block_node (block_mapping (block_mapping_pair key: (flow_node) @name) @key)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name) @key))))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
    (block_mapping_pair key: (flow_node) @name) @key)))))))))
