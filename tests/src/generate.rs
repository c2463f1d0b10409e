//! Documents generated from a seed: the same text on every machine, in the proportions of real
//! ones.
//!
//! The proportions are those of the corpus and of public reports. A checkpoint has 1.7 kB a
//! resource, a dozen types, tags that repeat between inputs and outputs, and two or three
//! dependencies each; a provider schema has hundreds of types whose attributes repeat; a package is
//! mostly source locations.

mod hostile;
mod random;

pub use hostile::{HostileDocument, hostile};
pub use random::{RANDOM_RULE, random_document};

use std::fmt::Write;

/// A small random number generator: SplitMix64, which needs no dependency and never changes.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator with this seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "an endless iterator is not useful here")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which is not 0.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % limit as u64).expect("below a usize")
    }

    /// One of `items`.
    pub fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }
}

const TYPES: [(&str, &str); 15] = [
    ("aws:ec2/instance:Instance", "i"),
    ("aws:ec2/subnet:Subnet", "subnet"),
    ("aws:ec2/vpc:Vpc", "vpc"),
    ("aws:ec2/securityGroup:SecurityGroup", "sg"),
    ("aws:s3/bucket:Bucket", "bucket"),
    ("aws:iam/role:Role", "role"),
    ("aws:iam/policy:Policy", "policy"),
    ("aws:lambda/function:Function", "fn"),
    ("aws:rds/instance:Instance", "db"),
    ("aws:dynamodb/table:Table", "table"),
    ("aws:sqs/queue:Queue", "queue"),
    ("aws:sns/topic:Topic", "topic"),
    ("aws:route53/record:Record", "record"),
    ("aws:cloudwatch/logGroup:LogGroup", "log"),
    ("aws:lb/listener:Listener", "listener"),
];

const REGIONS: [&str; 4] = ["us-west-2", "us-east-1", "eu-central-1", "ap-southeast-2"];
const TEAMS: [&str; 6] = ["payments", "search", "platform", "identity", "billing", "edge"];
const SIZES: [&str; 5] = ["t3.micro", "t3.large", "m5.xlarge", "c5.2xlarge", "r5.large"];

/// The URN of resource `number` of a [`checkpoint`].
pub fn urn(number: usize) -> String {
    let (kind, short) = TYPES[number % TYPES.len()];
    format!("urn:pulumi:production::shop::{kind}::{short}-{number}")
}

/// A Pulumi checkpoint of `resources` resources, as minified JSON: about 1.7 kB each.
pub fn checkpoint(resources: usize) -> String {
    let mut random = Random::new(42);
    let mut out = String::with_capacity(resources * 1750 + 1024);
    out.push_str(r#"{"version":3,"checkpoint":{"stack":"production","latest":{"manifest":{"time":"2026-01-01T00:00:00Z","magic":"0f2a","version":"v3.200.0"},"resources":["#);
    for number in 0..resources {
        if number > 0 {
            out.push(',');
        }
        resource(&mut out, &mut random, number);
    }
    out.push_str("]}}}");
    out
}

fn resource(out: &mut String, random: &mut Random, number: usize) {
    let (kind, short) = TYPES[number % TYPES.len()];
    let region = random.pick(&REGIONS);
    let team = random.pick(&TEAMS);
    let size = random.pick(&SIZES);
    let id = format!("{short}-{:016x}", random.next());
    let account = 100_000_000_000 + random.next() % 7;
    let arn = format!("arn:aws:{}:{region}:{account}:{short}/{id}", &kind[4..7]);
    let name = format!("{short}-{number}-{:07x}", random.next() & 0xfff_ffff);
    let tags = format!(
        r#"{{"Name":"{name}","Environment":"production","Team":"{team}","ManagedBy":"pulumi","CostCenter":"cc-{}"}}"#,
        random.below(20)
    );
    let port = 1024 + random.below(60_000);
    let mut dependencies: Vec<usize> =
        (0..random.below(4)).filter(|_| number > 0).map(|_| random.below(number.max(1))).collect();
    dependencies.sort_unstable();
    dependencies.dedup();
    let dependency_urns: Vec<String> = dependencies.iter().map(|&d| format!("\"{}\"", urn(d))).collect();
    let list = dependency_urns.join(",");
    let write = |out: &mut String, text: std::fmt::Arguments<'_>| {
        out.write_fmt(text).expect("a string takes any text");
    };
    write(out, format_args!(r#"{{"urn":"{}","custom":true,"id":"{id}","type":"{kind}","#, urn(number)));
    write(
        out,
        format_args!(
            r#""inputs":{{"__defaults":["name"],"region":"{region}","instanceType":"{size}","name":"{name}","port":{port},"encrypted":true,"retentionInDays":{},"monitoring":false,"description":"Managed for {team} in {region}","tags":{tags}}},"#,
            random.pick(&[1, 7, 30, 90]),
        ),
    );
    write(
        out,
        format_args!(
            r#""outputs":{{"__meta":"{{\"schema_version\":\"1\"}}","id":"{id}","arn":"{arn}","region":"{region}","instanceType":"{size}","name":"{name}","port":{port},"encrypted":true,"monitoring":false,"ownerId":"{account}","hostedZone":"Z{:010}","privateIp":"10.{}.{}.{}","cpuCredits":{},"rootBlockDevice":{{"deleteOnTermination":true,"volumeSize":{},"volumeType":"gp3","iops":3000,"throughput":125}},"tags":{tags},"tagsAll":{tags}}},"#,
            random.next() % 10_000_000_000,
            random.below(256),
            random.below(256),
            random.below(256),
            random.pick(&["null", "\"standard\"", "\"unlimited\""]),
            8 << random.below(6),
        ),
    );
    write(
        out,
        format_args!(
            r#""parent":"urn:pulumi:production::shop::pulumi:pulumi:Stack::shop-production","dependencies":[{list}],"provider":"urn:pulumi:production::shop::pulumi:providers:aws::default_6_0_0::{:08x}-0000-4000-8000-000000000000","propertyDependencies":{{"vpcId":[{}],"name":[],"tags":[],"region":null}},"sequenceNumber":1,"created":"2026-01-{:02}T{:02}:{:02}:00Z","modified":"2026-02-{:02}T00:00:00Z"}}"#,
            1,
            dependency_urns.first().map_or("", String::as_str),
            1 + random.below(28),
            random.below(24),
            random.below(60),
            1 + random.below(28),
        ),
    );
}

/// A Terraform state of `instances` instances, as minified JSON.
pub fn terraform_state(instances: usize) -> String {
    let mut random = Random::new(7);
    let mut out = String::from(
        r#"{"version":4,"terraform_version":"1.9.5","serial":812,"lineage":"3f1c9f0e-7d52-4a3d-9a50-0d8d4c0a9a11","outputs":{},"resources":["#,
    );
    for number in 0..instances.div_ceil(3) {
        if number > 0 {
            out.push(',');
        }
        let kind = random.pick(&[
            "aws_instance",
            "aws_subnet",
            "aws_security_group",
            "aws_iam_role",
            "aws_s3_bucket",
        ]);
        write!(out, r#"{{"mode":"managed","type":"{kind}","name":"r{number}","provider":"provider[\"registry.terraform.io/hashicorp/aws\"]","instances":["#)
            .expect("a string takes any text");
        for index in 0..3 {
            if index > 0 {
                out.push(',');
            }
            let id = format!("{:017x}", random.next() & 0xff_ffff_ffff_ffff);
            let region = random.pick(&REGIONS);
            let previous = number.saturating_sub(1 + random.below(5));
            write!(
                out,
                r#"{{"index_key":{index},"schema_version":1,"attributes":{{"id":"{id}","arn":"arn:aws:ec2:{region}:123456789012:x/{id}","availability_zone":"{region}a","instance_type":"{}","ami":"ami-{:08x}","associate_public_ip_address":false,"cpu_core_count":{},"ebs_optimized":true,"monitoring":null,"private_ip":"10.0.{}.{}","root_block_device":[{{"delete_on_termination":true,"encrypted":false,"iops":100,"volume_size":{},"volume_type":"gp2"}}],"subnet_id":"subnet-{:08x}","tags":{{"Name":"r{number}-{index}","Team":"{}"}},"timeouts":null,"vpc_security_group_ids":["sg-{:08x}"]}},"sensitive_attributes":[],"private":"bnVsbA==","dependencies":["aws_vpc.main","{kind}.r{previous}"]}}"#,
                random.pick(&SIZES),
                random.below(12),
                1 << random.below(4),
                random.below(256),
                random.below(256),
                8 << random.below(5),
                random.below(64),
                random.pick(&TEAMS),
                random.below(16),
            )
            .expect("a string takes any text");
        }
        out.push_str("]}");
    }
    out.push_str(r#"],"check_results":null}"#);
    out
}

/// A Terraform provider schema of `types` resource types, whose nested blocks repeat as real ones
/// do.
pub fn provider_schema(types: usize) -> String {
    let mut random = Random::new(3);
    let blocks: Vec<String> = (0..types / 8 + 4).map(|_| schema_block(&mut random, &[], 4)).collect();
    let mut out = String::from(
        r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/example/cloud":{"resource_schemas":{"#,
    );
    for number in 0..types {
        if number > 0 {
            out.push(',');
        }
        let block = schema_block(&mut random, &blocks, 14);
        write!(out, r#""cloud_type_{number}":{{"version":{},"block":{block}}}"#, random.below(3))
            .expect("a string takes any text");
    }
    out.push_str("}}}}");
    out
}

fn schema_block(random: &mut Random, inner: &[String], attributes: usize) -> String {
    let count = attributes / 2 + random.below(attributes);
    let attributes: Vec<String> = (0..count)
        .map(|_| {
            let name = *random.pick(&[
                "id",
                "arn",
                "name",
                "region",
                "tags",
                "tags_all",
                "kms_key_id",
                "policy",
                "description",
                "enabled",
                "vpc_id",
                "subnet_ids",
                "role_arn",
                "timeout",
                "version",
                "owner",
                "status",
                "created_at",
            ]);
            let kind = *random.pick(&[
                r#""string""#,
                r#""bool""#,
                r#""number""#,
                r#"["map","string"]"#,
                r#"["set","string"]"#,
            ]);
            let flags = *random.pick(&[
                r#""optional":true"#,
                r#""required":true"#,
                r#""computed":true"#,
                r#""optional":true,"computed":true"#,
            ]);
            (name, format!(r#"{{"type":{kind},"description_kind":"plain",{flags}}}"#))
        })
        .fold(Vec::<(&str, String)>::new(), |mut distinct, (name, attribute)| {
            if distinct.iter().all(|(other, _)| *other != name) {
                distinct.push((name, attribute));
            }
            distinct
        })
        .into_iter()
        .map(|(name, attribute)| format!(r#""{name}":{attribute}"#))
        .collect();
    let mut block = format!(r#"{{"attributes":{{{}}}"#, attributes.join(","));
    if !inner.is_empty() && random.below(3) > 0 {
        let first = random.below(inner.len());
        write!(
            block,
            r#","block_types":{{"timeouts":{{"nesting_mode":"single","block":{}}},"settings":{{"nesting_mode":"list","block":{},"max_items":1}}}}"#,
            inner[0], inner[first]
        )
        .expect("a string takes any text");
    }
    block.push_str(r#","description_kind":"plain"}"#);
    block
}

/// A compiled package of the Coconut 2017 format with about `members` class members and their code,
/// as minified JSON.
pub fn package(members: usize) -> String {
    let mut random = Random::new(11);
    let mut out = String::from(r#"{"name":"generated","dependencies":{"aws":"*"},"modules":{"#);
    const PER_CLASS: usize = 8;
    const PER_MODULE: usize = 5;
    let classes = members.div_ceil(PER_CLASS);
    for module in 0..classes.div_ceil(PER_MODULE) {
        if module > 0 {
            out.push(',');
        }
        let mut code = Code { random: random.clone(), file: format!("m{module}.ts"), line: 1 };
        write!(out, r#""m{module}":{{"kind":"Module","name":{},"exports":{{}},"members":{{"#, code.bare("m"))
            .expect("a string takes any text");
        for class in module * PER_MODULE..classes.min((module + 1) * PER_MODULE) {
            if class > module * PER_MODULE {
                out.push(',');
            }
            code.class(&mut out, class, PER_CLASS);
        }
        out.push_str("}}");
        random.next();
    }
    out.push_str(r#"},"aliases":{".default":"m0"}}"#);
    out
}

struct Code {
    random: Random,
    file: String,
    line: usize,
}

impl Code {
    fn location(&mut self) -> String {
        let column = 5 + self.random.below(30);
        let width = 1 + self.random.below(40);
        format!(
            r#"{{"file":"{}","start":{{"line":{},"column":{column}}},"end":{{"line":{},"column":{}}}}}"#,
            self.file,
            self.line,
            self.line,
            column + width
        )
    }

    fn bare(&self, name: &str) -> String {
        format!(r#"{{"kind":"Identifier","ident":"{name}"}}"#)
    }

    fn identifier(&mut self, name: &str) -> String {
        format!(r#"{{"kind":"Identifier","ident":"{name}","loc":{}}}"#, self.location())
    }

    fn token(&mut self, kind: &str, token: &str) -> String {
        format!(r#"{{"kind":"{kind}","tok":"{token}","loc":{}}}"#, self.location())
    }

    fn class(&mut self, out: &mut String, number: usize, members: usize) {
        self.line += 2;
        let name = self.identifier(&format!("C{number}"));
        write!(
            out,
            r#""C{number}":{{"kind":"Class","name":{name},"extends":{},"members":{{"#,
            self.token("TypeToken", "aws:resource:Resource")
        )
        .expect("a string takes any text");
        for member in 0..members {
            if member > 0 {
                out.push(',');
            }
            self.line += 1;
            match member % 2 {
                0 => {
                    let name = self.identifier(&format!("p{member}"));
                    let kind = self.token("TypeToken", "string");
                    write!(out, r#""p{member}":{{"kind":"ClassProperty","name":{name},"type":{kind},"access":"public","optional":false,"loc":{}}}"#, self.location())
                }
                _ => {
                    let name = self.identifier(&format!("f{member}"));
                    let body = self.block(2 + member / 2);
                    write!(out, r#""f{member}":{{"kind":"ClassMethod","name":{name},"access":"public","static":false,"parameters":[],"body":{body},"loc":{}}}"#, self.location())
                }
            }
            .expect("a string takes any text");
        }
        write!(out, r#"}},"loc":{}}}"#, self.location()).expect("a string takes any text");
    }

    fn block(&mut self, statements: usize) -> String {
        let statements: Vec<String> = (0..statements).map(|_| self.statement()).collect();
        format!(r#"{{"kind":"Block","statements":[{}],"loc":{}}}"#, statements.join(","), self.location())
    }

    fn statement(&mut self) -> String {
        self.line += 1;
        let name = format!("v{}", self.random.below(12));
        let target = self.token("Token", &name);
        let load =
            format!(r#"{{"kind":"LoadLocationExpression","name":{target},"loc":{}}}"#, self.location());
        let value = match self.random.below(3) {
            0 => format!(
                r#"{{"kind":"NumberLiteral","raw":"{0}","value":{0},"loc":{1}}}"#,
                self.random.below(100),
                self.location()
            ),
            1 => format!(
                r#"{{"kind":"StringLiteral","raw":"\"text\"","value":"text","loc":{}}}"#,
                self.location()
            ),
            _ => load.clone(),
        };
        let loc = self.location();
        format!(
            r#"{{"kind":"ExpressionStatement","expression":{{"kind":"BinaryOperatorExpression","left":{load},"operator":"=","right":{value},"loc":{loc}}},"loc":{}}}"#,
            self.location()
        )
    }
}
