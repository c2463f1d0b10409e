//! Opening stores by their URLs.

use crate::FleetOptions;
use coconut_codec::loader::FleetFault;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreScheme};
use url::Url;

/// The number of retries for a request that fails at once. More would only use up the deadline.
#[cfg(feature = "network")]
const RETRIES: usize = 1;

/// The URL for messages, the store to which it refers, and the prefix of all names in the store.
pub(crate) fn open(
    url: &str,
    options: &FleetOptions,
) -> Result<(String, Box<dyn ObjectStore>, Path), FleetFault> {
    let opened = open_object(url, options)?;
    // A store creates missing directories, so a mistyped one would be an empty fleet forever.
    let is_missing = |url: Url| url.scheme() == "file" && !url.to_file_path().is_ok_and(|path| path.is_dir());
    match Url::parse(url).is_ok_and(is_missing) {
        true => Err(FleetFault::Location { what: "there is no such directory".to_owned() }),
        false => Ok(opened),
    }
}

/// The same for one object, whose name is the prefix.
pub(crate) fn open_object(
    url: &str,
    options: &FleetOptions,
) -> Result<(String, Box<dyn ObjectStore>, Path), FleetFault> {
    let location = |what: String| FleetFault::Location { what };
    let url = Url::parse(url).map_err(|error| location(error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(location(
            "it contains credentials, which would appear in messages; use environment variables".to_owned(),
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(location("it has a query or a fragment".to_owned()));
    }
    let (scheme, prefix) = ObjectStoreScheme::parse(&url).map_err(|error| location(error.to_string()))?;
    let store = of_scheme(&scheme, &url, options);
    let store = store.map_err(|error| location(crate::transfer::innermost(&error)))?;
    Ok((url.to_string(), store, prefix))
}

fn of_scheme(
    scheme: &ObjectStoreScheme,
    url: &Url,
    #[cfg_attr(
        not(feature = "network"),
        expect(unused_variables, reason = "only network requests are retried")
    )]
    options: &FleetOptions,
) -> object_store::Result<Box<dyn ObjectStore>> {
    #[cfg(feature = "network")]
    // A program that has already chosen its cryptography keeps it.
    let _ = rustls::crypto::ring::default_provider().install_default();
    #[cfg(feature = "network")]
    let retry = object_store::RetryConfig {
        max_retries: RETRIES,
        retry_timeout: options.publish_deadline,
        ..object_store::RetryConfig::default()
    };
    Ok(match scheme {
        ObjectStoreScheme::Local => Box::new(object_store::local::LocalFileSystem::new()),
        ObjectStoreScheme::Memory => Box::new(object_store::memory::InMemory::new()),
        #[cfg(feature = "http")]
        ObjectStoreScheme::Http => {
            // A URL with `http` requests it explicitly.
            let client = object_store::ClientOptions::new().with_allow_http(url.scheme() == "http");
            let builder = object_store::http::HttpBuilder::new().with_url(&url[..url::Position::BeforePath]);
            Box::new(builder.with_client_options(client).with_retry(retry).build()?)
        }
        #[cfg(feature = "aws")]
        ObjectStoreScheme::AmazonS3 => {
            let builder = object_store::aws::AmazonS3Builder::from_env().with_url(url.as_str());
            Box::new(builder.with_retry(retry).build()?)
        }
        #[cfg(feature = "gcp")]
        ObjectStoreScheme::GoogleCloudStorage => {
            let builder = object_store::gcp::GoogleCloudStorageBuilder::from_env().with_url(url.as_str());
            Box::new(builder.with_retry(retry).build()?)
        }
        #[cfg(feature = "azure")]
        ObjectStoreScheme::MicrosoftAzure => {
            let builder = object_store::azure::MicrosoftAzureBuilder::from_env().with_url(url.as_str());
            Box::new(builder.with_retry(retry).build()?)
        }
        _ => {
            let source = format!("this program was built without support for `{}`", url.scheme()).into();
            return Err(object_store::Error::Generic { store: "fleet", source });
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refusal(url: &str) -> String {
        match open(url, &FleetOptions::default()) {
            Err(FleetFault::Location { what }) => what,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("`{url}` was opened"),
        }
    }

    #[test]
    fn a_url_with_credentials_is_refused_and_not_repeated() {
        let what = refusal("https://me:hunter2@fleet.example/x");
        assert_eq!(
            what,
            "it contains credentials, which would appear in messages; use environment variables"
        );
    }

    #[test]
    fn a_text_that_is_not_the_url_of_a_store_is_refused() {
        assert_eq!(refusal("fleet"), "relative URL without a base");
        assert_eq!(refusal("file:///a?b"), "it has a query or a fragment");
        assert!(refusal("ftp://host/x").contains("ftp://host/x"));
    }

    #[test]
    fn a_directory_that_is_not_there_is_refused_and_not_made() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}", folder.path().join("fleeet").display());
        assert_eq!(refusal(&url), "there is no such directory");
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[cfg(not(feature = "aws"))]
    #[test]
    fn a_store_that_was_not_built_in_is_named() {
        assert_eq!(refusal("s3://bucket/x"), "this program was built without support for `s3`");
    }

    #[test]
    fn the_path_of_the_url_is_the_beginning_of_all_names() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("fleet one");
        std::fs::create_dir(&path).unwrap();
        let url = format!("file://{}/fleet%20one/", folder.path().display());
        let (location, _, prefix) = open(&url, &FleetOptions::default()).unwrap();
        assert_eq!((location, format!("/{prefix}")), (url, path.display().to_string()));
    }
}
