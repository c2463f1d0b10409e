//! The types that a user would write for the generated checkpoint: one definition for every peer.

use serde::{Deserialize, Serialize};

macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
        pub(crate) struct $name { $($(#[$field_doc])* pub(crate) $field: $type,)* }
    };
}

record! {
    /// The document.
    Checkpoint { version: u32, checkpoint: Stack, }
}

record! {
    Stack { stack: String, latest: Latest, }
}

record! {
    Latest { manifest: Manifest, resources: Vec<Resource>, }
}

record! {
    Manifest { time: String, magic: String, version: String, }
}

record! {
    /// What a lookup finds and decodes: some forty strings.
    Resource {
        urn: String,
        custom: bool,
        id: String,
        #[serde(rename = "type")]
        kind: String,
        inputs: Inputs,
        outputs: Outputs,
        parent: String,
        dependencies: Vec<String>,
        provider: String,
        #[serde(rename = "propertyDependencies")]
        property_dependencies: PropertyDependencies,
        #[serde(rename = "sequenceNumber")]
        sequence_number: u32,
        created: String,
        modified: String,
    }
}

record! {
    Inputs {
        #[serde(rename = "__defaults")]
        defaults: Vec<String>,
        region: String,
        #[serde(rename = "instanceType")]
        instance_type: String,
        name: String,
        port: u32,
        encrypted: bool,
        #[serde(rename = "retentionInDays")]
        retention_in_days: u32,
        monitoring: bool,
        description: String,
        tags: Tags,
    }
}

record! {
    Outputs {
        #[serde(rename = "__meta")]
        meta: String,
        id: String,
        arn: String,
        region: String,
        #[serde(rename = "instanceType")]
        instance_type: String,
        name: String,
        port: u32,
        encrypted: bool,
        monitoring: bool,
        #[serde(rename = "ownerId")]
        owner_id: String,
        #[serde(rename = "hostedZone")]
        hosted_zone: String,
        #[serde(rename = "privateIp")]
        private_ip: String,
        #[serde(rename = "cpuCredits")]
        cpu_credits: Option<String>,
        #[serde(rename = "rootBlockDevice")]
        root_block_device: BlockDevice,
        tags: Tags,
        #[serde(rename = "tagsAll")]
        tags_all: Tags,
    }
}

record! {
    BlockDevice {
        #[serde(rename = "deleteOnTermination")]
        delete_on_termination: bool,
        #[serde(rename = "volumeSize")]
        volume_size: u32,
        #[serde(rename = "volumeType")]
        volume_type: String,
        iops: u32,
        throughput: u32,
    }
}

record! {
    Tags {
        #[serde(rename = "Name")]
        name: String,
        #[serde(rename = "Environment")]
        environment: String,
        #[serde(rename = "Team")]
        team: String,
        #[serde(rename = "ManagedBy")]
        managed_by: String,
        #[serde(rename = "CostCenter")]
        cost_center: String,
    }
}

record! {
    PropertyDependencies {
        #[serde(rename = "vpcId")]
        vpc_id: Vec<String>,
        name: Vec<String>,
        tags: Vec<String>,
        region: Option<Vec<String>>,
    }
}

record! {
    /// A checkpoint with the index that rkyv has to bring itself.
    Indexed { document: Checkpoint, by_urn: std::collections::HashMap<String, u32>, }
}
