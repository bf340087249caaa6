//! Subjects of maps, by their names.

use crate::word_list::{count, grouped};

/// Subject of a map that holds fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Nothing in particular: its fields mean the same as at the top.
    Neutral,
    /// The connection or machine that asked.
    Client,
    /// A person.
    Person,
    /// The server.
    Server,
    /// The reporting machine.
    Machine,
    /// The object of the action.
    Affected,
    /// The response.
    Answer,
    /// Data that the client chose, or that is not about the event.
    Foreign,
}

/// Names of maps, squeezed, with their subjects.
pub(super) const SIDES: [(&str, Side); count(GROUPS)] = grouped(GROUPS, Side::Neutral);

const GROUPS: &[(Side, &str)] = &[
    (
        Side::Client,
        "accessdevice attacker client clientinfo connection context httprequest origin peer remote request
         session source sourceendpoint src srcendpoint",
    ),
    (
        Side::Person,
        "account actor actordetails admin auth caller identity initiatedby initiator member operator performedby
         principal requester requestor sourceuser subject user useridentity",
    ),
    (
        Side::Foreign,
        "after agent args authdevice before body browser changes cloud collector container cookies diff ecs
         enrichments environment form geo geoip headers kubernetes labels loadbalancer new newvalue old oldvalue
         os params policy previous process query related requestbody requestparameters resource resources
         responsebody responseelements rule spec tags useragent",
    ),
    (Side::Server, "dest destination dst dstendpoint responder server upstream victim"),
    (Side::Machine, "device dvc host node observer"),
    (Side::Affected, "object target targets"),
    (Side::Answer, "response"),
];
