//! §20.2 Reading the model from a document, with one reader for each dialect.

pub(crate) mod draft;
pub(crate) mod fields;
pub(crate) mod schema;

use crate::cloudformation::read as cloudformation;
use crate::cocopack::read as cocopack;
use crate::dialect::Dialect;
use crate::error::ApiError;
use crate::kubernetes::read as kubernetes;
use crate::model::Package;
use crate::pulumi::read as pulumi;
use crate::read::draft::Draft;
use crate::read::draft::MOST_VALUES;
use crate::terraform::read as terraform;
use coconut_format::node::Node;

/// The number of list items visited to recognise a list. Items may differ in kind.
const MOST_ITEMS: usize = 64;

impl Dialect {
    /// The form of a document; `None` for any other document. Costs a few lookups.
    pub fn of<'a, N: Node<'a>>(root: N) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.reads(root))
    }

    /// Whether everything in a document of this form is a definition. A Kubernetes manifest may
    /// contain other objects, which the model omits.
    pub fn is_all_of<'a, N: Node<'a>>(self, root: N) -> bool {
        match self {
            Dialect::KubernetesCrd => kubernetes::has_only_definitions(root),
            Dialect::CloudFormation => cloudformation::has_only_types(root),
            _ => true,
        }
    }

    fn reads<'a, N: Node<'a>>(self, root: N) -> bool {
        match self {
            Dialect::CocoPack => cocopack::is_package(root),
            Dialect::Pulumi => pulumi::is_schema(root),
            Dialect::Terraform => terraform::is_schema(root),
            Dialect::CloudFormation => cloudformation::types(root, MOST_ITEMS).next().is_some(),
            Dialect::KubernetesOpenApi => kubernetes::definitions(root).is_some(),
            Dialect::KubernetesCrd => kubernetes::resource_definitions(root, MOST_ITEMS).next().is_some(),
        }
    }
}

/// Builds the model of a document.
///
/// Reads the document once; shared values are read once. Strings are borrowed.
///
/// # Errors
///
/// Fails if the document is not a schema, is empty, or has types that nest too deep.
pub fn read<'a, N: Node<'a>>(root: N) -> Result<Package<'a>, ApiError> {
    read_with(root, None)
}

/// Builds the model of a document with all further parts, for a translation that carries them.
///
/// # Errors
///
/// The same as for [`read`]; also fails if there are too many further parts.
pub fn read_whole<'a, N: Node<'a>>(root: N) -> Result<Package<'a>, ApiError> {
    read_with(root, Some(MOST_VALUES))
}

fn read_with<'a, N: Node<'a>>(root: N, rest_left: Option<usize>) -> Result<Package<'a>, ApiError> {
    let dialect = Dialect::of(root).ok_or(ApiError::NoSchema)?;
    let draft: Draft<'a> = match dialect {
        Dialect::CocoPack => cocopack::read(root, rest_left)?,
        Dialect::Pulumi => pulumi::read(root, rest_left)?,
        Dialect::Terraform => terraform::read(root, rest_left)?,
        Dialect::CloudFormation => cloudformation::read(root, rest_left)?,
        Dialect::KubernetesOpenApi => kubernetes::read_openapi(root, rest_left)?,
        Dialect::KubernetesCrd => kubernetes::read_resource_definitions(root, rest_left)?,
    };
    draft.finish()
}
