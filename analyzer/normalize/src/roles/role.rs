//! The parts that fields can play.

/// A part that a field can play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The text a person would read.
    Message,
    /// When it happened.
    Time,
    /// The machine it happened on.
    Host,
    /// The sender's word for how bad it is.
    Severity,
    /// The program that wrote it.
    Program,
    /// Process id of that program.
    Pid,
    /// The file it was read from.
    File,
    /// The client.
    ClientAddress,
    /// The client's port.
    ClientPort,
    /// HTTP method.
    Method,
    /// Path and query as they were sent, or a whole URL.
    Target,
    /// Path of a URL.
    Path,
    /// Query of a URL.
    Query,
    /// A whole URL.
    FullUrl,
    /// `GET /path HTTP/1.1`.
    RequestLine,
    /// HTTP status.
    Status,
    /// The client's `User-Agent`.
    UserAgent,
    /// The client's `Referer`.
    Referer,
    /// The acting user.
    User,
    /// The cloud account it concerns.
    CloudAccount,
    /// Bytes of the response body.
    Size,
    /// The host that was asked for.
    ServerAddress,
    /// CloudTrail: the service.
    EventSource,
    /// CloudTrail: the call.
    EventName,
    /// CloudTrail: version of the format.
    EventVersion,
    /// CloudTrail: id of the record. Windows: number of the event.
    EventId,
    /// Kubernetes audit: id of the request.
    AuditId,
    /// Kubernetes audit: stage of the request.
    Stage,
    /// Kubernetes audit: the object.
    ObjectRef,
    /// Kubernetes: kind of the document.
    Kind,
    /// Google Cloud: the audit entry.
    ProtoPayload,
    /// Google Cloud: id of the entry.
    InsertId,
    /// Okta: the event.
    EventType,
    /// Okta, GitHub: who did it.
    Actor,
    /// Okta: when.
    Published,
    /// GitHub audit: the action.
    Action,
    /// GitHub audit: id of the entry.
    DocumentId,
    /// Azure: the action.
    OperationName,
    /// Azure: kind of log.
    Category,
    /// Azure: the details.
    Properties,
    /// Windows: name of the log.
    Channel,
    /// Cloudflare: id of the request.
    RayId,
    /// Vercel: the deployment.
    DeploymentId,
    /// Vercel: id of the record.
    Id,
    /// OpenTelemetry: id of the record.
    RecordUid,
    /// An address that is the client's if the record is about a person.
    AnyAddress,
    /// The destination.
    DestinationAddress,
    /// The destination's port.
    DestinationPort,
    /// Protocol above IP.
    Transport,
    /// Target user.
    TargetUser,
    /// A word for whether it worked.
    Outcome,
    /// Yes or no for whether it worked.
    Succeeded,
    /// Failure reason.
    Reason,
    /// The reporting product.
    Product,
    /// Name of the process that it is about.
    ProcessName,
    /// Executable of that process.
    ProcessPath,
    /// Its command line.
    CommandLine,
    /// The file that it is about.
    FilePath,
    /// Hashes of that file.
    Sha256,
    /// The same.
    Sha1,
    /// The same.
    Md5,
    /// A hash whose kind its length shows.
    AnyHash,
    /// The action, in a word. The last one: of this part all fields count.
    Activity,
}
