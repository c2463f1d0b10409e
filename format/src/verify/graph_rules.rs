//! §15.9 Rules for graphs.

use super::rules;

rules! {
    /// The rules for graphs, in the order of the registry.
    GRAPH_RULES:

    GRF_FIELD = "GRF-FIELD", Error, [], "§15.9",
        "a resource has the fields that its dialect requires",
        "a resource lacks a field that its dialect requires, or the field has another kind",
        "Tools read these fields from every resource, and stop if one is missing or has another kind. A resource without its key cannot be found.";
    GRF_KEY = "GRF-KEY", Error, [2006, 2010], "§15.9",
        "no two resources that exist at one time have the same key",
        "two resources that exist at one time have the key {found}",
        "References and lookups name a resource by its key. Resources that are kept only until they are deleted are not counted. An alias or a retried import is a usual cause of the others.";
    GRF_REF = "GRF-REF", Error, [], "§15.9",
        "a reference leads to a resource of the same graph",
        "a reference leads to a resource that is not in this graph: {found}",
        "Programs that resolve the graph stop at a dangling reference. Correct the key, or remove the reference together with the resource that it named.";
    GRF_DEPENDENCY = "GRF-DEPENDENCY", Warning, [], "§15.9",
        "a recorded dependency leads to a resource of the same state",
        "a recorded dependency leads to a resource that is not in this state: {found}",
        "Terraform keeps the dependencies of the last apply, so a state may name resources that were removed since. It uses them only to order deletions.";
    GRF_SELF = "GRF-SELF", Error, [], "§15.9",
        "a resource does not depend on itself",
        "a resource depends on itself",
        "It could never be created, since it would have to exist first.";
    GRF_CYCLE = "GRF-CYCLE", Error, [], "§15.9",
        "resources do not depend on one another in a circle",
        "resources depend on one another in a circle: {found}",
        "They cannot be created or deleted in any order. Remove one of the references. The message lists the circle; for more than 16 resources, only the first and the last eight.";
    GRF_ORDER = "GRF-ORDER", Warning, [], "§15.9",
        "a resource comes after those that it depends on",
        "a resource comes before one that it depends on",
        "A one-pass reader has not yet seen the target of the reference. Checkpoints from 2017 list components after their parts; later tools refuse them.";
    GRF_URN = "GRF-URN", Warning, [], "§15.9",
        "the key of a resource is a well-formed URN",
        "the key of a resource is not a well-formed URN",
        "Tools read the namespace, the type and the name of a resource from its URN.";
    GRF_TYPE = "GRF-TYPE", Error, [], "§15.9",
        "the type in a URN is the type of the resource",
        "the type in a URN is not the type of the resource",
        "Both declare the type of the resource, and tools read one or the other.";
    GRF_UNKNOWN = "GRF-UNKNOWN", Error, [], "§15.9",
        "a snapshot has no unknown values",
        "a snapshot has an unknown value",
        "Such values are placeholders for the results of a future deployment. In a snapshot, a program would treat the placeholder as the value.";
    GRF_SIGNATURE = "GRF-SIGNATURE", Warning, [], "§15.9",
        "an object with a signature has a known kind and the members of that kind",
        "an object has an unknown signature, or lacks the members of its kind",
        "Tools that do not know the signature show or compare the object as if it were ordinary data; a secret without its text cannot be recognised as one.";
    GRF_ENTRIES = "GRF-ENTRIES", Warning, [], "§15.9",
        "an object with the key of references has no other entry",
        "an object with the key of references also has other entries",
        "Only an object with this entry alone is a reference. This one is ordinary data: it creates no dependency, and its target is not checked. Remove the other entries, or rename the key.";
    GRF_TAG = "GRF-TAG", Warning, [], "§15.9",
        "the key of references is not an ordinary key of resources",
        "the key of references is an ordinary key of resources",
        "Each object with only this entry is treated as a reference. With an empty key, or with `id` or `type`, such objects are ordinary data. Use `#ref`, or a key that occurs nowhere else.";
}
