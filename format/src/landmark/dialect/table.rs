//! §15.1 The table of dialects.

use super::{CycleRule, Dialect};

/// An empty dialect, as the base of the others.
const PLAIN: Dialect = Dialect {
    name: "",
    document_type: "",
    when: "",
    patterns: &[],
    join: None,
    edges: &[],
    tag: &[],
    cycles: CycleRule::Any,
    needs: &[],
    has_unique_keys: true,
    elsewhere: &[],
};

/// Edges from a Pulumi resource. Deployments from 2017 on have some of these fields.
const PULUMI_EDGES: &[&str] = &[
    "parent=0/parent",
    "dependency=0/dependencies/*",
    "property=0/propertyDependencies/*/*",
    "provider=0/provider<::",
    "deleted-with=0/deletedWith",
    "replace-with=0/replaceWith/*",
    "view-of=0/viewOf",
];

/// The fields of a Pulumi resource since the introduction of URNs.
const PULUMI_NEEDS: &[&str] = &["urn:string", "type:string"];

/// The fields of a resource in the first graphs. Its key is the key of its entry.
const COCONUT_NEEDS: &[&str] = &["type:string"];

/// The fields of a resource shown by Terraform.
const SHOWN_NEEDS: &[&str] = &["address:string", "type:string"];

/// The edge of graphs that write a reference as an object of one entry.
const REFERENCE_EDGES: &[&str] = &["ref=0(/*)*/{#ref}"];

/// Packages. Separate from the others, because every reader of headers needs this dialect.
pub const PACKAGE_DIALECT: Dialect = Dialect {
    name: "package",
    document_type: "cocopack",
    when: "/name:string /modules:object | /modules/*/kind:string",
    patterns: &["[name]", "/modules/*", "/modules/*/members/*", "/modules/*/members/*/members/*"],
    join: Some(":"),
    ..PLAIN
};

/// All dialects, in the order in which they are tried.
pub static DIALECTS: &[Dialect] = &[
    PACKAGE_DIALECT,
    Dialect {
        name: "pulumi-checkpoint",
        document_type: "cocogl",
        when: "/checkpoint/latest:object",
        patterns: &["/checkpoint/latest/resources/*[urn]"],
        edges: PULUMI_EDGES,
        cycles: CycleRule::Ordered,
        needs: PULUMI_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "pulumi-export",
        document_type: "cocogl",
        when: "/deployment/resources:list | /deployment/manifest:object",
        patterns: &["/deployment/resources/*[urn]"],
        edges: PULUMI_EDGES,
        cycles: CycleRule::Ordered,
        needs: PULUMI_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "pulumi-environment",
        document_type: "cocogl",
        when: "/latest/resources:list",
        patterns: &["/latest/resources/*[urn]"],
        edges: PULUMI_EDGES,
        cycles: CycleRule::Ordered,
        needs: PULUMI_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "pulumi-deployment",
        document_type: "cocogl",
        when: "/resources/*/urn:string | /manifest:object /resources:list",
        patterns: &["/resources/*[urn]"],
        edges: PULUMI_EDGES,
        cycles: CycleRule::Ordered,
        needs: PULUMI_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "terraform-state-4",
        document_type: "cocogl",
        when: "/version=4 /resources:list /terraform_version:string | /version=4 /resources:list /serial:integer \
               | /version=4 /resources:list /lineage:string | /version=4 /resources/*/instances:list",
        patterns: &[
            "/resources/*[({module}.)({mode=data}.){type}.{name}]",
            "/resources/*/instances/*[~[{index_key|json}~]]",
        ],
        join: Some(""),
        edges: &["dependency=1/dependencies/*<["],
        cycles: CycleRule::Acyclic,
        needs: &["mode:string", "type:string", "name:string", "instances:list"],
        ..PLAIN
    },
    Dialect {
        name: "terraform-state-3",
        document_type: "cocogl",
        when: "/version:integer /modules/*/resources:object",
        patterns: &["/modules/*/resources/*", "/modules/*[{path|modules}]"],
        join: Some("."),
        needs: &["type:string"],
        ..PLAIN
    },
    Dialect {
        name: "terraform-plan",
        document_type: "cocogl",
        when: "/format_version:string /resource_changes:list | /plan_format_version:string",
        patterns: &["/resource_changes/*[address]"],
        needs: &["address:string", "type:string", "change:object"],
        ..PLAIN
    },
    Dialect {
        name: "terraform-plan-values",
        document_type: "cocogl",
        when: "/format_version:string /planned_values:object",
        patterns: &["/planned_values/root_module(/child_modules/*)*/resources/*[address]"],
        needs: SHOWN_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "terraform-show-0.12",
        document_type: "cocogl",
        when: "/format_version:string /terraform_version^0.12. /values/root_module:object",
        patterns: &["/values/root_module(/child_modules/*)*/resources/*[{address}(~[{index|json}~]|once)]"],
        needs: SHOWN_NEEDS,
        has_unique_keys: false,
        ..PLAIN
    },
    Dialect {
        name: "terraform-show",
        document_type: "cocogl",
        when: "/format_version:string /values/root_module:object",
        patterns: &["/values/root_module(/child_modules/*)*/resources/*[address]"],
        edges: &["dependency=0/depends_on/*<["],
        cycles: CycleRule::Acyclic,
        needs: SHOWN_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "terraform-provider-schema",
        document_type: "document",
        when: "/format_version:string /provider_schemas:object",
        patterns: &[
            "/provider_schemas/*/resource_schemas/*",
            "/provider_schemas/*/data_source_schemas/*",
            "/provider_schemas/*/ephemeral_resource_schemas/*",
            "/provider_schemas/*/list_resource_schemas/*",
            "/provider_schemas/*/action_schemas/*",
            "/provider_schemas/*/functions/*",
            "/provider_schemas/*",
        ],
        ..PLAIN
    },
    Dialect {
        name: "coconut-import",
        document_type: "cocogl",
        when: "/origin/inference:string /resources:object",
        patterns: &["/resources/*"],
        edges: &[
            "owner=0/edges/owner/*",
            "service-account=0/edges/service-account/*",
            "config-map=0/edges/config-map/*",
            "secret=0/edges/secret/*",
            "pvc=0/edges/pvc/*",
            "volume=0/edges/volume/*",
            "selector=0/edges/selector/*",
            "scale-target=0/edges/scale-target/*",
            "ingress=0/edges/ingress/*",
            "role-ref=0/edges/role-ref/*",
            "subject=0/edges/subject/*",
            "webhook=0/edges/webhook/*",
            "crd=0/edges/crd/*",
            "namespace=0/edges/namespace/*",
            "reference=0/edges/reference/*",
            "depends-on=0/edges/depends-on/*",
            "provider=0/edges/provider/*",
            "network=0/edges/network/*",
            "require=0/edges/require/*",
            "subscribe=0/edges/subscribe/*",
        ],
        needs: COCONUT_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "coconut-environment",
        document_type: "cocogl",
        when: "/latest/resources:object | /target:string /latest:object | /husk:string",
        patterns: &["/latest/resources/*"],
        edges: REFERENCE_EDGES,
        tag: &["/latest/reftag"],
        cycles: CycleRule::Ordered,
        needs: COCONUT_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "coconut-snapshot",
        document_type: "cocogl",
        when: "/package:string /resources:object",
        patterns: &["/resources/*"],
        edges: REFERENCE_EDGES,
        tag: &["/refs", "/ref"],
        cycles: CycleRule::Ordered,
        needs: COCONUT_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "mugl-snapshot",
        document_type: "cocogl",
        when: "/package:string /vertices:object",
        patterns: &["/vertices/*"],
        edges: REFERENCE_EDGES,
        tag: &["/refs", "/ref"],
        cycles: CycleRule::Acyclic,
        needs: COCONUT_NEEDS,
        ..PLAIN
    },
    Dialect {
        name: "mugl-graph",
        document_type: "cocogl",
        when: "/vertices:object",
        patterns: &["/vertices/*"],
        edges: REFERENCE_EDGES,
        tag: &["/refs", "/ref"],
        ..PLAIN
    },
    Dialect {
        name: "pulumi-yaml",
        document_type: "cocogl",
        when: "/runtime=yaml | /runtime/name=yaml \
               | /resources/*/type:string /resources:object /variables:object \
               | /resources/*/type:string /resources:object /outputs:object",
        patterns: &["/resources/*", "/variables/*", "/config/*", "/configuration/*"],
        edges: &[
            "ref=0/properties(/*)*<{",
            "ref=0/get(/*)*<{",
            "ref=1(/*)*<{",
            "parent=0/options/parent<{",
            "dependency=0/options/dependsOn<{",
            "dependency=0/options/dependsOn/*<{",
            "provider=0/options/provider<{",
            "provider=0/options/providers<{",
            "provider=0/options/providers/*<{",
            "deleted-with=0/options/deletedWith<{",
        ],
        cycles: CycleRule::Acyclic,
        needs: COCONUT_NEEDS,
        // Values given to a program, such as `pulumi.stack`, and `$${` for a dollar sign and a
        // brace.
        elsewhere: &["ref"],
        ..PLAIN
    },
    Dialect {
        name: "pulumi-schema",
        document_type: "document",
        when: "/name:string /resources/*:*:object | /name:string /types/*:*:object \
               | /name:string /functions/*:*:object | /name:string /language:object /config:object \
               | /name:string /language:object /provider:object",
        patterns: &["/resources/*", "/types/*", "/functions/*", "/provider", "/config/variables/*"],
        ..PLAIN
    },
    Dialect {
        name: "pulumi-events",
        document_type: "document",
        when: ":list /*/sequence:integer /*/timestamp:integer",
        patterns: &[
            "/*/resourcePreEvent/metadata[urn]",
            "/*/resOutputsEvent/metadata[urn]",
            "/*/resOpFailedEvent/metadata[urn]",
            "/*[{sequence|json}]",
        ],
        ..PLAIN
    },
    Dialect {
        name: "cloudformation",
        document_type: "cocogl",
        when: "/AWSTemplateFormatVersion:any | /Resources/*/Type:string \
               | /Resources:object /Transform:any | /Resources/Fn::*:any \
               | /Resources:object /Parameters:object | /Resources:object /Conditions:object \
               | /Resources:object /Mappings:object | /Resources:object /Outputs:object",
        // An output may have the name of a resource, so its key begins with that of the section.
        // The join is not a period: `Fn::GetAtt` names the outputs of a nested stack as
        // `Outputs.Name`.
        patterns: &["/Resources/*", "/Parameters/*", "/Outputs", "/Outputs/*"],
        join: Some("/"),
        edges: &[
            "depends-on=0/DependsOn",
            "depends-on=0/DependsOn/*",
            "ref=0(/*)*/{Ref}",
            "get-att=0(/*)*/{Fn::GetAtt}/*",
            "get-att=0(/*)*/{Fn::GetAtt}<<.",
            "sub=0(/*)*/{Fn::Sub}<{",
            "sub=0(/*)*/{Fn::Sub}/*<{",
            "ref=3(/*)*/{Ref}",
            "get-att=3(/*)*/{Fn::GetAtt}/*",
            "get-att=3(/*)*/{Fn::GetAtt}<<.",
            "sub=3(/*)*/{Fn::Sub}<{",
            "sub=3(/*)*/{Fn::Sub}/*<{",
        ],
        cycles: CycleRule::Acyclic,
        needs: &["Type:string"],
        // The names of attributes and of values given to the template. A transform may create any
        // resource.
        elsewhere: &["get-att", "sub", "ref^AWS::", "/Transform:any", "/Resources/Fn::*:any"],
        ..PLAIN
    },
    Dialect {
        name: "cloudformation-registry",
        document_type: "document",
        when: "/typeName:string /properties:object | /typeName:string /primaryIdentifier:list",
        patterns: &["[typeName]", "/properties/*", "/definitions/*"],
        ..PLAIN
    },
    Dialect {
        name: "kubernetes",
        document_type: "document",
        when: "/apiVersion:string /kind:string | :list /*/apiVersion:string /*/kind:string",
        patterns: &[
            "(/items/*)*[{kind}~1({metadata/namespace}~1){metadata/name}]",
            "/*(/items/*)*[{kind}~1({metadata/namespace}~1){metadata/name}]",
        ],
        ..PLAIN
    },
    Dialect {
        name: "kubernetes-openapi",
        document_type: "document",
        when: "/swagger:any /info/title=Kubernetes /definitions:object \
               | /swagger:any /definitions/io.k8s.*:object \
               | /openapi:any /info/title=Kubernetes /components/schemas:object \
               | /openapi:any /components/schemas/io.k8s.*:object",
        patterns: &["/definitions/*", "/components/schemas/*"],
        ..PLAIN
    },
    Dialect {
        name: "puppet-catalog",
        document_type: "document",
        when: "/document_type=Catalog /data/resources:list \
               | /resources/*/type:string /resources/*/title:string /edges:list \
               | /resources/*/type:string /resources/*/title:string /catalog_uuid:any \
               | /resources/*/type:string /resources/*/title:string /catalog_format:any \
               | /resources/*/type:string /resources/*/title:string /classes:list \
               | /document_type=Catalog /resources:list",
        patterns: &["/data/resources/*[{type}~[{title}~]]", "/resources/*[{type}~[{title}~]]"],
        ..PLAIN
    },
    Dialect {
        name: "puppet-catalog-4",
        document_type: "document",
        when: "/catalog/resources/*/type:string /catalog/resources/*/title:string \
               | /catalog/resources:list /catalog/catalog_format:any \
               | /catalog/resources:list /catalog/catalog_uuid:any \
               | /catalog/resources:list /catalog/classes:list",
        patterns: &["/catalog/resources/*[{type}~[{title}~]]"],
        ..PLAIN
    },
    Dialect {
        name: "puppet-catalog-db",
        document_type: "document",
        when: "/resources/data/*/type:string /resources/data/*/title:string \
               | /resources/data:list /certname:string \
               | :list /*/resources/data/*/type:string /*/resources/data/*/title:string",
        patterns: &["/resources/data/*[{type}~[{title}~]]", "/*/resources/data/*[{type}~[{title}~]]"],
        has_unique_keys: false,
        ..PLAIN
    },
    Dialect {
        name: "compose",
        document_type: "document",
        when: "/services/*/image:string | /services/*/build:any | /services/*/extends:any \
               | /services/*/command:any | /services/*/depends_on:any | /services/*/provider:object \
               | /services:object /include:list | /services:object /networks:object \
               | /services:object /volumes:object",
        patterns: &["/services/*", "/networks/*", "/volumes/*", "/configs/*", "/secrets/*", "/models/*"],
        ..PLAIN
    },
];
