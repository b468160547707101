public import ProxydHTTPModel

/// A request as a curl command that bash and dash run, and that sends the request's octets: every
/// field line in its order, spelling and spacing, the request target and the body as they are.
/// Content-Length alone is curl's own, the last of the fields.
///
/// Only curl's order of start line and fields is relied upon. Nothing of curl's own is added to a
/// complete head: User-Agent, Accept, Content-Type, Expect are switched off where absent.
public struct CurlCommand: Sendable, Hashable, CustomStringConvertible {
    /// What the request has and the command does not send.
    public let omissions: [CurlOmission]
    /// What is written into curl's standard input, as a shell command; nil where nothing is.
    private let input: String?
    /// Options with their values, quoted, in curl's order; the URL is the last.
    private let words: [String]

    /// The description of a request that cannot be a command.
    public static let unavailableDescription = "$ curl command could not be created"

    /// A command for a captured request; nil where the head could not be read, and for CONNECT,
    /// which is the beginning of a tunnel and no request to a server. Extended CONNECT (RFC 8441)
    /// is: curl asks for its protocol as HTTP/1.1 does.
    ///
    /// A request that was sent to a proxy in absolute form is sent to its server: in origin form
    /// and without the fields that were for the proxy.
    public init?(_ request: Request, options: CurlOptions = CurlOptions()) {
        guard let head = request.head, let url = request.url, !head.isClassicConnect else {
            return nil
        }
        let opening = CurlOpening(head)
        var builder = CurlCommandBuilder(method: opening.method, url: url, options: options)
        builder.addTarget(head.target.first == UInt8(ascii: "/") ? Array(head.target) : url.origin)
        builder.addVersion(opening.version)
        let wasForProxy = head.target.first != UInt8(ascii: "/")
        var body = CurlBody.octets(request.body.kept)
        if request.body.kept.isEmpty, opening.isUpgrade || !request.body.isTruncated {
            body = .none
        } else if request.body.isTruncated {
            let missing = request.body.byteCount - Int64(request.body.kept.count)
            builder.omissions.append(.bodyEnd(byteCount: missing))
        }
        builder.add(
            fields: opening.fields,
            authority: head.pseudoField(":authority").map { Array(head.octets[$0.valueRange]) },
            body: body, wasForProxy: wasForProxy)
        if request.trailers?.isEmpty == false { builder.omissions.append(.trailers) }
        self.init(builder)
    }

    /// A command for a request that is to be sent; nil for CONNECT.
    public init?(
        method: HTTPMethod, url: RawURL, fields: HeaderFields, body: CurlBody = .none,
        options: CurlOptions = CurlOptions(isHeadComplete: false)
    ) {
        guard method != .connect else { return nil }
        var builder = CurlCommandBuilder(method: method, url: url, options: options)
        builder.addTarget(url.origin)
        builder.add(fields: fields, authority: nil, body: body, wasForProxy: false)
        self.init(builder)
    }

    private init(_ builder: CurlCommandBuilder) {
        omissions = builder.omissions
        input = builder.input
        words = builder.options + [builder.url]
    }

    /// The command as a shell runs it. `isVerbose` adds `-v`.
    public func text(_ layout: CurlLayout, isVerbose: Bool = false) -> String {
        let pipe = input.map { $0 + " | " } ?? ""
        let program = isVerbose ? "curl -v" : "curl"
        return pipe + ([program] + words).joined(separator: layout.separator)
    }

    /// The command behind a prompt, verbose, an option a line.
    public var description: String { "$ " + text(.multiLine, isVerbose: true) }
}
