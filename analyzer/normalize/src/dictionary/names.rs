//! The dictionary: field names as schemas and products spell them, squeezed to their letters and digits in lower
//! case, so that `Source IP`, `source_ip` and `sourceIp` are one entry. Schemas: ECS, OCSF, OpenTelemetry, Splunk's CIM,
//! Microsoft's ASIM, Google's UDM, CEF, LEEF; products by the field references in their documentation.

use crate::roles::Role;
use crate::word_list::{count, grouped};

/// No squeezed name of the dictionary is longer.
pub(super) const LONGEST: usize = 32;

/// Part and rank: the lower the rank, the more surely a name means the part.
pub(super) type Meaning = (Role, u8);

/// Each name with its meaning.
pub(super) const WORDS: [(&str, Meaning); count(GROUPS)] = grouped(GROUPS, (Role::Message, 0));

const GROUPS: &[(Meaning, &str)] = &[
    // Addresses of those who asked. Names that say so.
    (
        (Role::ClientAddress, 0),
        "clientaddress clientip clientipaddress clientipaddr clientaddr clientipv4 clientipv6 clientpublicip
         clientsourceip clientsrcip clienthostip actualclientip realip realclientip xrealip trueclientip
         cfconnectingip originalclientip remoteclientip remip requestclientip",
    ),
    (
        (Role::ClientAddress, 1),
        "clientsrc ipclient cip cliip connectingip sourceaddress sourceaddr sourceip sourceipaddress sourceipaddr
         sourceips sourceipv4 sourceipv6 sourcenetworkaddress sourcepublicip srcip srcips srcipaddr srcipaddress
         srcipv4 srcipv6 srcaddr srcaddress srcdvcipaddr srcpublicip ipsrc ipsource idorigh initiatorip
         initiatoraddress originatingip originatorip originsourceip remoteaddr remoteaddress remoteip
         remoteipaddress remoteipaddr remotehostip calleripaddress callerip calleraddress callingstationipaddress
         requestip requestsourceip requestorip requestremoteaddr requesteripaddress requesterip userip
         useripaddress userpublicip actorip actoripaddress loginip loginipaddress logonip signinip visitorip
         viewerip accessdeviceip fromip fromipaddress httpclientip",
    ),
    (
        (Role::ClientAddress, 2),
        "clienthost clientpeerip client connectionip sourcehostaddress src srchostip saddr ipsaddr attackerip
         attackeraddress attackersip remotehost remotesource rhost callingstationid requestaddress requestsource
         useraddress adminip adminipaddress memberip sessionip customerip authip accessip accessedfrom loggedfrom
         xforwardedfor forwardedfor xff httpxforwardedfor",
    ),
    (
        (Role::ClientAddress, 3),
        "sourcehost srchost sip c6a2 originip remotepeer remote rip raddr publicip publicipaddress endpointip
         endpointipaddress fromaddr fromaddress fromhost fwd",
    ),
    ((Role::ClientAddress, 4), "source externalip"),
    ((Role::ClientAddress, 5), "peer peeraddr peeraddress peerip peeripaddress netpeerip"),
    ((Role::ClientAddress, 6), "machineip"),
    // Addresses of an actor: the client's address where the record is about a user.
    ((Role::AnyAddress, 0), "ip ipaddress ipaddr"),
    ((Role::AnyAddress, 1), "ips ipaddresses ipv4 ipv4address"),
    ((Role::AnyAddress, 2), "ipv6 address addr from"),
    ((Role::AnyAddress, 3), "origin ui"),
    ((Role::AnyAddress, 4), "location terminal"),
    // Their ports.
    ((Role::ClientPort, 0), "clientport clientsrcport clientsourceport"),
    (
        (Role::ClientPort, 1),
        "cport sourceport sourceportnumber srcport srcportnumber sport spt transportsrcport l4srcport idorigp
         remoteport initiatorport",
    ),
    ((Role::ClientPort, 2), "sprt attackerport rport"),
    ((Role::ClientPort, 3), "peerport ipport"),
    (
        (Role::User, 2),
        "user useraccount useremail useremailaddress useremailaddr usermail samaccountname usr uname
         authenticateduserid subjectusername subjectuser endusername loginemail signinname accountname
         accountusername accountlogin initiatingusername initiatinguser initiatoruser initiatorname
         initiatorusername performedby executedby doneby requestuser requestusername actorname actoremail
         actoruser adminname adminuser adminusername adminlogin principalemail upn xauthuser dbusername
         serverprincipalname sessionusername",
    ),
    ((Role::User, 0), "username userprincipalname usrname"),
    (
        (Role::User, 1),
        "userlogin userloginname userlogonname userprincipal useraccountname usersamaccountname authuser
         authusername authenticateduser remoteuser remoteusername clientuser clientusername csusername csuser
         suser susername srcuser srcusername srcusrname sourceuser sourceusername loginname loginuser
         loginusername logonname logonuser logonusername logonaccount actorlogin actorusername actoralternateid",
    ),
    (
        (Role::User, 4),
        "userid useridentifier usrid authid srcuserid sourceuserid subjectname login accountemail admin
         administrator operator principal principaluserid samlnameid membername memberemail eaplogin",
    ),
    ((Role::User, 6), "userkey userfullname emailid account"),
    (
        (Role::User, 5),
        "userdisplayname actoruserid actordisplayname authorname authoremail adminid identity identityname email
         emailaddress nameid whodid osuser",
    ),
    (
        (Role::User, 3),
        "useruserid unauthuser remoteuserid enduser enduserid loginid acct acctname initiatedby initiator
         requestedby requestor requestorname requester actor adminemail administratorname operatorname
         principalname principaluser ntuser domainuser dbuser sessionserverprincipalname sessionuser",
    ),
    ((Role::User, 7), "useruid profilename"),
    // Target user; the user who logs in where the record names no other.
    (
        (Role::TargetUser, 0),
        "targetusername targetuser duser dusername dstuser dstusername destuser destusername destinationuser
         destinationusername",
    ),
    ((Role::TargetUser, 1), "targetusernames targetaccount targetaccountname affecteduser"),
    ((Role::TargetUser, 4), "targetuserid"),
    ((Role::TargetUser, 3), "targetidentity"),
    (
        (Role::Outcome, 0),
        "outcome eventoutcome outcomeresult eventresult resultstatus actionresult actionstatus operationresult
         operationstatus activitystatus loginresult loginstatus logonresult logonstatus signinstatus authresult
         authstatus authenticationresult authenticationstatus authoutcome auditstatus",
    ),
    ((Role::Outcome, 1), "result resultname eventstatus completionstatus"),
    ((Role::Outcome, 3), "resulttype status statustext"),
    ((Role::Reason, 3), "resultdescription errortype"),
    ((Role::Outcome, 2), "statusname res decision requeststatus verdict disposition dispositionname"),
    ((Role::Outcome, 5), "statuscode responsecode responsestatus state"),
    ((Role::Outcome, 6), "response"),
    ((Role::Outcome, 4), "returnvalue"),
    (
        (Role::Succeeded, 0),
        "success succeeded successful issuccess issuccessful loginsuccess loginsuccessful authsuccess
         wassuccessful",
    ),
    ((Role::Succeeded, 1), "allowed authenticated isauthenticated"),
    ((Role::Reason, 1), "reason outcomereason"),
    (
        (Role::Reason, 0),
        "eventreason failurereason failreason failedreason loginfailurereason denyreason rejectreason
         eventresultdetails",
    ),
    ((Role::Reason, 2), "statusdetail statusdetails statusmessage error errormessage errmsg errordescription"),
    ((Role::Reason, 5), "errorcode"),
    ((Role::Reason, 4), "failurecode"),
    // Actions. Every field of this part counts.
    (
        (Role::Activity, 0),
        "event eventname logsyslogmsgid eventaction eventtype eventtypename eventsubtype eventcategory eventclass
         eventclassid eventdescription eventcode eventid eventtitle eventsummary eventkey deviceeventclassid
         deviceeventcategory name cat act action actionname fwaction actiontype actiondescription activity
         activityname activitytype activitydisplayname audittype auditaction auditevent auditlogevent atype
         primarydescription secondarydescription fullformattedmessage eventtypeid category categoryname
         subcategory classname typename type subtype kind logtype logsubtype logdesc logid logcomponent operation
         operationname operationtype op method methodname command task title summary description desc
         displaymessage shortmessage details detail info alertname signature",
    ),
    ((Role::Message, 0), "message msg"),
    ((Role::Message, 1), "logmessage messagetext"),
    ((Role::Message, 2), "text"),
    // Destinations.
    (
        (Role::DestinationAddress, 0),
        "destinationaddress destinationaddr destinationip destinationipaddress destinationipaddr destip
         destipaddr destaddr destaddress dstip dstipaddr dstipv4 dstipv6 dstaddr dstaddress dstdvcipaddr ipdst
         ipdestination idresph",
    ),
    (
        (Role::DestinationAddress, 1),
        "destinationips dest dst ipdaddr daddr targetip targetaddress targetipaddress responderip",
    ),
    ((Role::DestinationAddress, 3), "desthost dsthost"),
    ((Role::DestinationAddress, 2), "dip victimip victimaddress serverip serveripaddress serverip4"),
    (
        (Role::DestinationPort, 0),
        "destinationport destinationportnumber destport dstport dstportnumber l4dstport transportdstport idrespp",
    ),
    ((Role::DestinationPort, 1), "dport dpt targetport responderport"),
    ((Role::DestinationPort, 2), "victimport serverport"),
    // Transport.
    ((Role::Transport, 0), "networktransport"),
    ((Role::Transport, 1), "transport l4protocol"),
    ((Role::Transport, 2), "protocol proto protocolname ipprotocol ipproto"),
    ((Role::Transport, 3), "networkprotocol"),
    // The product.
    (
        (Role::Product, 0),
        "product productname eventproduct deviceproduct vendorproduct metadataproductname observerproduct",
    ),
    ((Role::Product, 3), "observertype workload"),
    ((Role::Product, 2), "application applicationname appdisplayname app service"),
    ((Role::Product, 1), "appname servicename program"),
    ((Role::Product, 4), "component module"),
    ((Role::Product, 5), "vendor eventvendor vendorname devicevendor"),
    ((Role::Product, 6), "logger loggername"),
    // Machines.
    ((Role::Host, 0), "hostname"),
    (
        (Role::Host, 1),
        "host devname devicename devicehostname dvchost dvchostname computername computer machinename
         identhostname",
    ),
    ((Role::Host, 6), "deviceexternalid"),
    ((Role::Host, 2), "dvc machine nodename observerhostname reportinghost"),
    // Programs and files.
    ((Role::ProcessName, 0), "processname"),
    ((Role::ProcessName, 1), "procname sproc sourceprocessname actingprocessname"),
    ((Role::ProcessName, 2), "initiatingprocessfilename"),
    (
        (Role::ProcessPath, 0),
        "processpath processexecutable processexecutablepath processfilepath processimagepath",
    ),
    ((Role::ProcessPath, 1), "imagepath"),
    ((Role::CommandLine, 0), "commandline cmdline processcommandline processcmdline"),
    ((Role::CommandLine, 2), "cmd"),
    ((Role::CommandLine, 1), "processcmd"),
    ((Role::FilePath, 0), "filepath filefullpath"),
    ((Role::FilePath, 1), "targetfilepath"),
    ((Role::FilePath, 2), "targetfilename"),
    ((Role::FilePath, 3), "objectpath"),
    ((Role::Sha256, 0), "filehashsha256 filesha256 hashsha256 sha256 sha256hash"),
    ((Role::Sha256, 1), "processhashsha256"),
    ((Role::Sha1, 0), "filehashsha1 filesha1 hashsha1 sha1 sha1hash"),
    ((Role::Md5, 0), "filehashmd5 filemd5 hashmd5 md5 md5hash"),
    ((Role::AnyHash, 0), "filehash"),
    ((Role::AnyHash, 1), "hash"),
    // Requests.
    ((Role::Target, 9), "url urloriginal requestpath requesturi"),
    ((Role::FullUrl, 3), "requesturl fullurl httpurl"),
    ((Role::Path, 3), "uripath urlpath"),
    ((Role::UserAgent, 5), "useragent httpuseragent requestclientapplication clientuseragent requestuseragent"),
];
