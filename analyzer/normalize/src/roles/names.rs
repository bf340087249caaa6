//! The names senders use, in lower case, by the part they play. Sources: OpenTelemetry semantic
//! conventions (current and before 1.20), Elastic Common Schema, W3C extended log files, journald,
//! the syslog receivers, and the JSON logs of nginx, Caddy, Traefik, Vercel, Cloudflare and the clouds.

use super::Role;
use crate::word_list::{count, grouped, words};

/// No name in the tables is as long as this.
pub(super) const LONGEST_NAME: usize = 48;

/// Part and rank: the lower the rank, the more surely a name means the part.
pub(super) type Meaning = (Role, u8);

/// Each name with its meaning.
pub(super) const NAMES: [(&str, Meaning); count(GROUPS)] = grouped(GROUPS, (Role::Message, 0));

/// Maps that are entered when looking for names.
pub(super) const PARENTS: [&str; 34] = words(
    "actor client enduser event host http http.request http.request.header http.response http.response.body
     httprequest log log.file log.syslog network network.peer process properties properties.initiatedby
     properties.initiatedby.user protopayload protopayload.authenticationinfo protopayload.requestmetadata
     proxy request request.headers server source syslog url user user_agent useridentity winlog",
);

const GROUPS: &[(Meaning, &str)] = &[
    ((Role::Action, 0), "action"),
    ((Role::Actor, 0), "actor"),
    ((Role::AuditId, 0), "auditid"),
    ((Role::Category, 0), "category"),
    ((Role::Channel, 0), "channel winlog.channel"),
    ((Role::ClientAddress, 0), "client.address"),
    ((Role::ClientAddress, 1), "c-ip client.ip source.ip"),
    (
        (Role::ClientAddress, 2),
        "actor_ip calleripaddress client.ipaddress client_ip clientaddr clienthost clientip http.client_ip
         httprequest.remoteip protopayload.requestmetadata.callerip proxy.clientip remote_addr remoteaddr
         request.client_ip source.address sourceipaddress sourceips src_ip",
    ),
    (
        (Role::ClientAddress, 3),
        "ipaddress properties.initiatedby.user.ipaddress properties.ipaddress remote_ip remoteip
         request.remote_ip",
    ),
    ((Role::ClientAddress, 4), "network.peer.address"),
    ((Role::ClientAddress, 5), "net.peer.ip net.sock.peer.addr"),
    ((Role::ClientPort, 0), "client.port"),
    ((Role::ClientPort, 1), "c-port remote_port request.remote_port source.port src_port"),
    ((Role::ClientPort, 2), "clientsrcport network.peer.port"),
    ((Role::ClientPort, 3), "net.peer.port net.sock.peer.port"),
    ((Role::CloudAccount, 0), "cloud.account.id"),
    ((Role::CloudAccount, 1), "recipientaccountid subscriptionid"),
    ((Role::CloudAccount, 2), "useridentity.accountid"),
    ((Role::DeploymentId, 0), "deploymentid"),
    ((Role::DocumentId, 0), "_document_id"),
    ((Role::EventId, 0), "eventid"),
    ((Role::EventId, 1), "event_id winlog.event_id"),
    ((Role::EventName, 0), "eventname"),
    ((Role::EventSource, 0), "eventsource"),
    ((Role::EventType, 0), "eventtype"),
    ((Role::EventVersion, 0), "eventversion"),
    ((Role::File, 0), "log.file.path"),
    ((Role::File, 1), "file filename log.file.name log_file"),
    ((Role::FullUrl, 0), "url.full"),
    ((Role::FullUrl, 1), "http.url httprequest.requesturl"),
    ((Role::Host, 0), "host.name"),
    ((Role::Host, 1), "hostname"),
    ((Role::Host, 2), "_hostname host"),
    ((Role::Host, 3), "computer computername"),
    ((Role::Id, 0), "id"),
    ((Role::InsertId, 0), "insertid"),
    ((Role::Kind, 0), "kind"),
    ((Role::Message, 0), "message"),
    ((Role::Message, 1), "msg"),
    ((Role::Message, 2), "log"),
    ((Role::Message, 3), "body"),
    ((Role::Message, 4), "text"),
    ((Role::Method, 0), "http.request.method"),
    (
        (Role::Method, 1),
        "clientrequestmethod cs-method http.method http.request.method_original http_method
         httprequest.requestmethod proxy.method request.method request_method requestmethod",
    ),
    ((Role::Method, 2), "method verb"),
    ((Role::ObjectRef, 0), "objectref"),
    ((Role::OperationName, 0), "operationname"),
    ((Role::Path, 0), "url.path"),
    ((Role::Path, 1), "clientrequestpath cs-uri-stem uri_path url_path"),
    ((Role::Pid, 0), "process.pid"),
    ((Role::Pid, 1), "syslog_pid"),
    ((Role::Pid, 2), "_pid pid proc_id procid"),
    ((Role::Program, 0), "syslog_identifier"),
    ((Role::Program, 1), "app_name appname log.syslog.appname syslog.appname"),
    ((Role::Program, 2), "program"),
    ((Role::Program, 3), "ident"),
    ((Role::Program, 4), "process.name"),
    ((Role::Program, 5), "_comm"),
    ((Role::Program, 6), "_systemd_unit"),
    ((Role::Properties, 0), "properties"),
    ((Role::ProtoPayload, 0), "protopayload"),
    ((Role::Published, 0), "published"),
    ((Role::Query, 0), "url.query"),
    ((Role::Query, 1), "clientrequestquery cs-uri-query query_string uri_query"),
    ((Role::RayId, 0), "rayid"),
    ((Role::RecordUid, 0), "log.record.uid"),
    ((Role::Referer, 0), "http.request.header.referer"),
    (
        (Role::Referer, 1),
        "clientrequestreferer cs-referer http.request.referrer http_referer http_referrer httprequest.referer
         proxy.referer request.headers.referer request_referer",
    ),
    ((Role::Referer, 2), "referer referrer"),
    ((Role::RequestLine, 0), "request"),
    ((Role::RequestLine, 1), "request_line requestline"),
    ((Role::ServerAddress, 0), "server.address"),
    (
        (Role::ServerAddress, 1),
        "clientrequesthost cs-host http.host http_host proxy.host request.host requesthost server_name url.domain
         vhost",
    ),
    ((Role::Severity, 0), "level"),
    ((Role::Severity, 1), "severity"),
    ((Role::Severity, 2), "severity_text"),
    ((Role::Severity, 3), "levelname"),
    ((Role::Size, 0), "http.response.body.size"),
    (
        (Role::Size, 1),
        "body_bytes_sent downstreamcontentsize edgeresponsebytes http.response.body.bytes http.response.size
         httprequest.responsesize sc-bytes",
    ),
    ((Role::Size, 2), "bytes bytes_sent"),
    ((Role::Size, 3), "size"),
    ((Role::Stage, 0), "stage"),
    ((Role::Status, 0), "http.response.status_code"),
    (
        (Role::Status, 1),
        "downstreamstatus edgeresponsestatus http.status_code httprequest.status proxy.statuscode sc-status",
    ),
    ((Role::Status, 2), "http.status response_code response_status status_code statuscode"),
    ((Role::Status, 3), "status"),
    ((Role::Target, 0), "url.original"),
    ((Role::Target, 1), "clientrequesturi cs-uri http.target request.uri request_uri requestpath requesturi"),
    ((Role::Target, 2), "http.path path proxy.path request.url request_path uri"),
    ((Role::Target, 3), "url"),
    ((Role::Time, 0), "timestamp"),
    ((Role::Time, 1), "time timecreated_systemtime"),
    ((Role::Time, 2), "@timestamp"),
    ((Role::Time, 3), "ts"),
    ((Role::Time, 4), "date datetime edgestarttimestamp"),
    ((Role::Time, 5), "_source_realtime_timestamp eventtime requestreceivedtimestamp stagetimestamp"),
    ((Role::Time, 6), "__realtime_timestamp activitydatetime createddatetime timestampinms"),
    ((Role::Time, 7), "system_time utctime"),
    ((Role::Time, 8), "receivetimestamp"),
    ((Role::User, 0), "user.name"),
    (
        (Role::User, 1),
        "clientusername cs-username enduser.id protopayload.authenticationinfo.principalemail remote_user
         useridentity.username",
    ),
    (
        (Role::User, 2),
        "actor.alternateid actor.login properties.userprincipalname user.username user_name useridentity.arn
         username userprincipalname",
    ),
    ((Role::User, 3), "properties.initiatedby.user.userprincipalname user useridentity.principalid"),
    ((Role::UserAgent, 0), "user_agent.original"),
    (
        (Role::UserAgent, 1),
        "clientrequestuseragent cs-user-agent http.user_agent http_user_agent httprequest.useragent
         proxy.useragent request.headers.user-agent request_user-agent",
    ),
    ((Role::UserAgent, 2), "user-agent user_agent useragent"),
    ((Role::UserAgent, 3), "agent"),
];
