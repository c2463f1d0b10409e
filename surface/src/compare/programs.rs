//! §20.3 Comparing the parts visible only to programs: names of methods and of values, and the
//! inputs for looking up a resource.

use crate::compare::finding::{Change, Place};
use crate::compare::{Comparer, Site, type_text};
use crate::model::{Definition, Member};
use crate::rules::{self, ApiRule, Severity};
use std::collections::HashMap;

impl<'p> Comparer<'p, '_, '_> {
    /// Compares the former tokens. A new one that is found by it was reported as renamed.
    pub(crate) fn compare_aliases(&mut self, site: Site<'p, '_>, new: &Definition<'_>) {
        let old = site.definition;
        for alias in old.aliases.iter().filter(|alias| !new.aliases.contains(alias)) {
            let rule = &rules::API_ALIAS_GONE;
            let alias = Some((*alias).to_owned());
            self.report(rule, rule.severity, || Change { old: alias, ..site.change(rule) });
        }
        let added = new.aliases.iter().filter(|alias| !old.aliases.contains(alias));
        for alias in added.filter(|alias| **alias != site.token) {
            let rule = &rules::API_ALIAS_ADDED;
            let alias = Some((*alias).to_owned());
            self.report(rule, rule.severity, || Change { new: alias, ..site.change(rule) });
        }
    }

    /// Compares methods by the tokens of their functions. Removed and added functions are reported
    /// as such.
    pub(crate) fn compare_methods(&mut self, site: Site<'p, '_>, new: &Definition<'_>) {
        let old = site.definition;
        if old.methods == new.methods {
            return;
        }
        let [old_names, new_names] = [&old.methods, &new.methods]
            .map(|methods| methods.iter().map(|(name, token)| (*token, *name)).collect::<HashMap<_, _>>());
        for (name, token) in &old.methods {
            let new_name = new_names.get(token).copied();
            let rule = match new_name {
                Some(new_name) if new_name == *name => continue,
                Some(_) => &rules::API_RENAMED,
                None if !self.is_in_both(token) => continue,
                None => &rules::API_METHOD_GONE,
            };
            self.report(rule, rule.severity, || Change {
                member: Some((*name).to_owned()),
                new_member: new_name.map(str::to_owned),
                ..site.change(rule)
            });
        }
        for (name, token) in &new.methods {
            if !old_names.contains_key(token) && self.is_in_both(token) {
                let rule = &rules::API_METHOD_ADDED;
                let member = Some((*name).to_owned());
                self.report(rule, rule.severity, || Change { member, ..site.change(rule) });
            }
        }
    }

    fn is_in_both(&self, function: &str) -> bool {
        let find =
            |index: &crate::compare::renames::Index<'_>| index.find(crate::compare::Role::Function, function);
        find(&self.relations.old.index).is_some() == find(&self.relations.new.index).is_some()
    }

    /// Compares the names of the values in both enums. A value without a name is named by its text.
    pub(crate) fn compare_value_names(&mut self, site: Site<'p, '_>, new: &Definition<'_>) {
        let old = site.definition;
        if old.named_values == new.named_values {
            return;
        }
        let (Some(old_value), Some(new_value)) = (old.value, new.value) else { return };
        let (old_package, new_package) = (self.relations.old.package, self.relations.new.package);
        let (old_values, new_values) = (old_package.enum_texts(old_value), new_package.enum_texts(new_value));
        let [old_names, new_names] = [old, new].map(|of| {
            let names = of.named_values.iter().filter_map(|one| Some((one.value.to_string(), one.name?)));
            names.collect::<HashMap<_, _>>()
        });
        let kept: std::collections::HashSet<&str> = new_values.iter().map(|(text, _)| &**text).collect();
        for (text, plain) in old_values.iter().filter(|(text, _)| kept.contains(&**text)) {
            let [old, new] = [&old_names, &new_names].map(|names| names.get(text).copied().unwrap_or(plain));
            if old != new {
                let rule = &rules::API_ENUM_NAME;
                let [old, new] = [old, new].map(|name| Some(name.to_owned()));
                self.report(rule, rule.severity, || Change { old, new, ..site.change(rule) });
            }
        }
    }

    /// Compares the inputs for looking up a resource.
    pub(crate) fn compare_state(&mut self, site: Site<'p, '_>, new: &Definition<'_>) {
        let old_members = self.relations.old.package.members(site.definition.state);
        let new_members = self.relations.new.package.members(new.state);
        let [old_names, new_names] = [old_members, new_members].map(by_name);
        let change = |rule: &'static ApiRule, member: &Member<'_>| Change {
            place: Place::State,
            member: Some(member.name.to_owned()),
            ..site.change(rule)
        };
        for member in old_members {
            let rule = &rules::API_STATE;
            let Some(number) = new_names.get(member.name) else {
                self.report(rule, rule.severity, || change(rule, member));
                continue;
            };
            let new = &new_members[*number];
            if self.relations.is_same(member.type_id, new.type_id) {
                continue;
            }
            let is_wider = self.relations.widens(member.type_id, new.type_id);
            let severity = if is_wider { Severity::Compatible } else { rule.severity };
            let old_text = type_text(self.relations.old.package, member.type_id);
            let new_text = type_text(self.relations.new.package, new.type_id);
            let (old, new) = (Some(old_text), Some(new_text));
            self.report(rule, severity, || Change { old, new, ..change(rule, member) });
        }
        for member in new_members.iter().filter(|member| !old_names.contains_key(member.name)) {
            let rule = &rules::API_STATE_ADDED;
            self.report(rule, rule.severity, || change(rule, member));
        }
    }
}

fn by_name<'m>(members: &'m [Member<'_>]) -> HashMap<&'m str, usize> {
    members.iter().enumerate().map(|(number, member)| (member.name, number)).collect()
}
