//! The order in which everything executes.

use super::{Machine, calls};
use crate::ir::{Entry, Function};
use crate::report::{Time, UnreadReason};
use crate::source::Subject;
use crate::value::{Kind, Value};

impl Machine<'_> {
    /// Executes everything: installation, import, commands, then all functions that nobody called.
    pub(crate) fn run(&mut self, scripts: &[crate::manifest::Script]) {
        let instructions: usize = self.functions.iter().map(|function| function.code.len()).sum();
        self.steps =
            instructions as u64 * crate::bounds::STEPS_FOR_EACH_INSTRUCTION + crate::bounds::STEPS_BESIDES;
        for script in scripts {
            self.time = script.time;
            (self.file, self.line) = (script.file, script.line);
            let text = Value::text(script.command.as_bytes());
            self.inner_code(&text, crate::source::Language::Bash, 0, 0);
        }
        // Commands come before the files that nothing else is known to load, so that those execute when they are called.
        let phases = [
            (Time::Install, true),
            (Time::Install, false),
            (Time::Import, true),
            (Time::Call, true),
            (Time::Call, false),
            (Time::Import, false),
        ];
        for (time, is_entry) in phases {
            for file in 0..self.files.list.len() {
                if self
                    .files
                    .list
                    .get(file)
                    .is_some_and(|file| file.time == time && file.is_entry == is_entry)
                {
                    self.time = time;
                    self.run_module(u32::try_from(file).unwrap_or(0));
                }
            }
            self.time = time;
            for (function, scope) in std::mem::take(&mut self.waiting_inits) {
                self.run_function(function, scope, 0, &[]);
            }
            self.run_later();
        }
        self.run_uncalled();
        self.run_later();
        self.chain_second_receivers();
        self.answer_returned();
        self.chain_entrusted();
        self.chain_silent_receivers();
        if self.steps == 0 {
            self.findings.unread(u32::MAX, UnreadReason::Steps);
        }
    }

    /// Functions after those that contain them: closures of a function exist after it was executed.
    pub(super) fn run_uncalled(&mut self) {
        let mut number = 0;
        while let Some(function) = self.functions.get(number).cloned() {
            let id = u32::try_from(number).unwrap_or(0);
            let scope = self.environments.get(number).copied().unwrap_or(0);
            let executed = self.executed.get(number).copied().unwrap_or(true);
            if !executed && scope != 0 {
                self.time = self.time_of_uncalled(&function);
                let owner =
                    self.owners.get(&id).copied().unwrap_or(if function.is_method { scope } else { 0 });
                let receiver = self.instance_of(owner);
                let parameters = self.entry_arguments(&function);
                let returned = self.run_function(id, scope, receiver, &parameters);
                if returned.taint != 0 {
                    self.entrusted.returned.push((id, returned.taint));
                }
            }
            number += 1;
        }
    }

    pub(super) fn time_of_uncalled(&self, function: &Function) -> Time {
        let file = self.units.get(function.unit as usize).map_or(0, |unit| unit.file);
        let file = self.files.list.get(file as usize);
        // Commands that `setup.py` defines are executed by the installer.
        match file {
            Some(file)
                if file.time == Time::Install
                    && file.is_build
                    && (function.is_method || function.is_command) =>
            {
                Time::Install
            }
            Some(file)
                if self.files.is_pytest_plugin
                    && file.context == crate::source::Context::Code
                    && self.names.text(function.name).starts_with("pytest_") =>
            {
                Time::Import
            }
            _ => Time::Call,
        }
    }

    pub(crate) fn entry_arguments(&mut self, function: &Function) -> Vec<calls::Given> {
        let kind = match function.entry {
            Entry::Handler => Kind::Handler,
            // Methods that nothing in a server calls replace those of a library, which calls them with its data.
            Entry::None if function.is_method && self.files.subject == Subject::Repository => Kind::Given,
            Entry::None => return Vec::new(),
        };
        let unit = self.units.get(function.unit as usize);
        self.file = unit.map_or(0, |unit| unit.file);
        self.line = function.code.first().map_or(1, |first| first.line);
        let taint = self.origin(kind, self.names.text(function.name).to_owned());
        function.parameters.iter().map(|_| calls::Given::plain(Value::tainted(taint))).collect()
    }
}
