use coconut_codec::{dag::Builder, event::EventSink, writer::{Layout, sizes}};
use serde_json::Value;
fn feed(v: &Value, b: &mut Builder) {
    match v {
        Value::Null => b.null().unwrap(),
        Value::Bool(x) => b.bool(*x).unwrap(),
        Value::Number(n) => if let Some(u) = n.as_u64() { b.integer(u.into()).unwrap() } else if let Some(i) = n.as_i64() { b.integer(i.into()).unwrap() } else { b.float(n.as_f64().unwrap()).unwrap() },
        Value::String(s) => b.string(s).unwrap(),
        Value::Array(a) => { b.begin_list().unwrap(); for x in a { feed(x, b) } b.end_list().unwrap() }
        Value::Object(o) => { b.begin_object().unwrap(); for (k, x) in o { b.key(k).unwrap(); feed(x, b) } b.end_object().unwrap() }
    }
}
fn main() {
    for f in std::env::args().skip(1) {
        let t = std::fs::read(&f).unwrap();
        let Ok(v) = serde_json::from_slice::<Value>(&t) else { continue };
        let min = serde_json::to_vec(&v).unwrap().len();
        let mut b = Builder::new();
        feed(&v, &mut b);
        let dag = b.finish();
        let l = Layout::default();
        let show = |name: &str, l: Layout| { let s = sizes(&dag, &l); let total = s[1]+s[3]+s[5]+s[6]; println!("{name:12} {:.4} total {total} strings {}/{} shapes {}/{} shared {}/{} root {}", total as f64 / min as f64, s[0],s[1],s[2],s[3],s[4],s[5],s[6]); };
        println!("{f} {min}");
        show("all", l.clone());
        show("-nested", Layout { nested_slots: false, ..l.clone() });
        show("-int", Layout { integer_slots: false, ..l.clone() });
        show("-const", Layout { constant_slots: false, ..l.clone() });
        show("-discr", Layout { discriminators: false, ..l.clone() });
        show("none", Layout { discriminators: false, constant_slots: false, integer_slots: false, nested_slots: false, ..l.clone() });
        for m in [6, 8, 12] { show(&format!("shmin{m}"), Layout { shared_min_bytes: m, ..l.clone() }); }
    }
}
