//! §15.9 Rules for graphs.

use super::rules;

rules! {
    /// The rules for graphs, in the order of the registry.
    GRAPH_RULES:

    GRF_FIELD = "GRF-FIELD", Error, [], "§15.9",
        "a resource has the fields that its dialect needs",
        "a resource lacks a field that its dialect needs, or has something else there",
        "Tools read these of every resource, and stop at one that lacks them or has something else there. A resource without its key cannot be found.";
    GRF_KEY = "GRF-KEY", Error, [2006, 2010], "§15.9",
        "no two resources that exist at one time have the same key",
        "two resources that exist at one time have the key {found}",
        "A key is what references and lookups name a resource by. Resources that only wait for their deletion are not counted; an alias or a retried import is a usual cause of the others.";
    GRF_REF = "GRF-REF", Error, [], "§15.9",
        "a reference leads to a resource of the same graph",
        "a reference leads to no resource of this graph: {found}",
        "Whoever resolves the graph stops at a reference to nothing. Correct the key, or take the reference out together with the resource that it named.";
    GRF_DEPENDENCY = "GRF-DEPENDENCY", Warning, [], "§15.9",
        "a recorded dependency leads to a resource of the same state",
        "a recorded dependency leads to no resource of this state: {found}",
        "Terraform keeps the dependencies of the last apply, so a state may name resources that were removed since. It uses them only to order deletions.";
    GRF_SELF = "GRF-SELF", Error, [], "§15.9",
        "a resource does not depend on itself",
        "a resource depends on itself",
        "It could never be created, since it would have to exist before.";
    GRF_CYCLE = "GRF-CYCLE", Error, [], "§15.9",
        "resources do not depend on one another in a circle",
        "resources depend on one another in a circle: {found}",
        "There is no order in which they could be created or deleted. Remove one of the references. The circle is given; of more than 16 resources, the first and the last eight.";
    GRF_ORDER = "GRF-ORDER", Warning, [], "§15.9",
        "a resource comes after those that it depends on",
        "a resource comes before one that it depends on",
        "A reader in one pass has not seen yet what the resource refers to. Checkpoints of 2017 list components after their parts; later tools refuse them.";
    GRF_URN = "GRF-URN", Warning, [], "§15.9",
        "the key of a resource is a well-formed URN",
        "the key of a resource is not a well-formed URN",
        "Tools take the namespace, the type and the name of a resource from its URN.";
    GRF_TYPE = "GRF-TYPE", Error, [], "§15.9",
        "the type in a URN is the type of the resource",
        "the type in a URN is not the type of the resource",
        "Both say what the resource is, and tools read the one or the other.";
    GRF_UNKNOWN = "GRF-UNKNOWN", Error, [], "§15.9",
        "a snapshot has no value that is not known yet",
        "a snapshot has a value that is not known yet",
        "Such values are placeholders for the results of a deployment that is still to run. In a snapshot, a program would take the placeholder for the value.";
    GRF_SIGNATURE = "GRF-SIGNATURE", Warning, [], "§15.9",
        "an object with a signature is of a known kind and has its members",
        "an object has a signature of no known kind, or not the members of its kind",
        "Tools that do not know the signature show or compare the object as if it were ordinary data; a secret without its text cannot be recognised as one.";
    GRF_ENTRIES = "GRF-ENTRIES", Warning, [], "§15.9",
        "an object with the key of references has no other entry",
        "an object with the key of references has other entries, too",
        "Only an object with this entry alone is a reference. This one is ordinary data: nothing depends on what it names, and nothing orders or checks it. Take the other entries out, or give the key another name.";
    GRF_TAG = "GRF-TAG", Warning, [], "§15.9",
        "the key of references is no key that resources have anyway",
        "the key of references is one that resources have anyway",
        "Each object with this entry alone is taken for a reference. With an empty key, or with `id` or `type`, that is ordinary data. Use `#ref`, or a key that occurs nowhere else.";
}
