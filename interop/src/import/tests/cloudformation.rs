//! CloudFormation templates.

use super::*;

const NETWORK: &str = r#"{"Resources": {
    "Vpc": {"Type": "AWS::EC2::VPC"},
    "Subnet": {"Type": "AWS::EC2::Subnet", "Properties": {"VpcId": {"Ref": "Vpc"}}}},
  "Outputs": {
    "Vpc": {"Value": {"Fn::Join": ["", [{"Ref": "Vpc"}, {"Ref": "AWS::Region"}]]}, "Export": {"Name": "net-vpc"}},
    "Subnet": {"Value": {"Ref": "Subnet"}, "Export": {"Name": {"Fn::Sub": "${AWS::StackName}-subnet"}}},
    "Plain": {"Value": {"Ref": "Subnet"}}}}"#;

const SERVICE: &str = r#"{"Resources": {
    "Host": {"Type": "AWS::EC2::Instance", "Properties": {
        "Vpc": {"Fn::ImportValue": "net-vpc"},
        "Subnet": {"Fn::ImportValue": {"Fn::Sub": "${Net}-subnet"}},
        "Other": {"Fn::ImportValue": "of-a-template-that-is-elsewhere"},
        "Text": {"Fn::ImportValue": "net-vpc", "More": 1}}}},
  "Parameters": {"Net": {"Type": "String"}}}"#;

#[test]
fn an_imported_value_leads_to_the_resources_of_the_export() {
    let (network, service) = (json(NETWORK), json(SERVICE));
    // The order of the templates is not that of the stacks.
    let sources = [("service.json", &service), ("network.json", &network)];
    let sources = sources.map(|(name, root)| Source { name, root });
    let both = import_of(&sources);
    assert_eq!(edges(&both), lines("Host reference Vpc\nSubnet reference Vpc"));
    assert_eq!(missing(&both), [""; 0]);
    let alone = import_of(&sources[..1]);
    assert_eq!((edges(&alone), missing(&alone)), (lines(""), vec![]));
}

fn import_of<'a>(sources: &[Source<'_, &'a Value>]) -> Import<'a, &'a Value> {
    import(System::CloudFormation, sources, &Options::default()).unwrap()
}
