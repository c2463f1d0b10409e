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

/// Items of a list that are visited to recognise it. Any of them may be of another kind.
const MOST_ITEMS: usize = 64;

impl Dialect {
    /// The form of a document; `None` for any other document. Costs a few lookups.
    pub fn of<'a, N: Node<'a>>(root: N) -> Option<Dialect> {
        Dialect::ALL.into_iter().find(|dialect| dialect.reads(root))
    }

    /// Whether everything in a document of this form defines something. A manifest of Kubernetes
    /// may have other objects beside a definition, of which its model knows nothing.
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

/// The model of a document.
///
/// Reads it once; values that are stored once are read once. Texts are borrowed.
///
/// # Errors
///
/// A document that is no schema or has nothing in it, or one with types that nest too deep.
pub fn read<'a, N: Node<'a>>(root: N) -> Result<Package<'a>, ApiError> {
    read_with(root, None)
}

/// The model of a document, with all that it says beside: for a translation, which carries it.
///
/// # Errors
///
/// As for [`read`], and a document that says too much beside.
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
