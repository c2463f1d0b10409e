//! The types that a user would write for the generated checkpoint: one definition for every peer,
//! with text that is owned or [`Borrowed`].

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;

macro_rules! record {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
        pub(crate) struct $name<Text = String> { $($(#[$field_doc])* pub(crate) $field: $type,)* }
    };
}

record! {
    /// The document.
    Checkpoint { version: u32, checkpoint: Stack<Text>, }
}

record! {
    Stack { stack: Text, latest: Latest<Text>, }
}

record! {
    Latest { manifest: Manifest<Text>, resources: Vec<Resource<Text>>, }
}

record! {
    Manifest { time: Text, magic: Text, version: Text, }
}

record! {
    /// The result of a lookup: some forty strings.
    Resource {
        urn: Text,
        custom: bool,
        id: Text,
        #[serde(rename = "type")]
        kind: Text,
        inputs: Inputs<Text>,
        outputs: Outputs<Text>,
        parent: Text,
        dependencies: Vec<Text>,
        provider: Text,
        #[serde(rename = "propertyDependencies")]
        property_dependencies: PropertyDependencies<Text>,
        #[serde(rename = "sequenceNumber")]
        sequence_number: u32,
        created: Text,
        modified: Text,
    }
}

record! {
    Inputs {
        #[serde(rename = "__defaults")]
        defaults: Vec<Text>,
        region: Text,
        #[serde(rename = "instanceType")]
        instance_type: Text,
        name: Text,
        port: u32,
        encrypted: bool,
        #[serde(rename = "retentionInDays")]
        retention_in_days: u32,
        monitoring: bool,
        description: Text,
        tags: Tags<Text>,
    }
}

record! {
    Outputs {
        #[serde(rename = "__meta")]
        meta: Text,
        id: Text,
        arn: Text,
        region: Text,
        #[serde(rename = "instanceType")]
        instance_type: Text,
        name: Text,
        port: u32,
        encrypted: bool,
        monitoring: bool,
        #[serde(rename = "ownerId")]
        owner_id: Text,
        #[serde(rename = "hostedZone")]
        hosted_zone: Text,
        #[serde(rename = "privateIp")]
        private_ip: Text,
        #[serde(rename = "cpuCredits")]
        cpu_credits: Option<Text>,
        #[serde(rename = "rootBlockDevice")]
        root_block_device: BlockDevice<Text>,
        tags: Tags<Text>,
        #[serde(rename = "tagsAll")]
        tags_all: Tags<Text>,
    }
}

record! {
    BlockDevice {
        #[serde(rename = "deleteOnTermination")]
        delete_on_termination: bool,
        #[serde(rename = "volumeSize")]
        volume_size: u32,
        #[serde(rename = "volumeType")]
        volume_type: Text,
        iops: u32,
        throughput: u32,
    }
}

record! {
    Tags {
        #[serde(rename = "Name")]
        name: Text,
        #[serde(rename = "Environment")]
        environment: Text,
        #[serde(rename = "Team")]
        team: Text,
        #[serde(rename = "ManagedBy")]
        managed_by: Text,
        #[serde(rename = "CostCenter")]
        cost_center: Text,
    }
}

record! {
    PropertyDependencies {
        #[serde(rename = "vpcId")]
        vpc_id: Vec<Text>,
        name: Vec<Text>,
        tags: Vec<Text>,
        region: Option<Vec<Text>>,
    }
}

/// A checkpoint with the index that rkyv users have to supply.
#[derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize)]
pub(crate) struct Indexed {
    pub(crate) document: Checkpoint,
    pub(crate) by_urn: HashMap<String, u32>,
}

/// Text that is borrowed from the input where it has no escapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Borrowed<'a>(#[serde(borrow)] Cow<'a, str>);
