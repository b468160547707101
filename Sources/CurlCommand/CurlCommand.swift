public import ProxydHTTPModel

/// A request as a curl command for bash and dash that sends the bytes of the request: every field
/// line in its order, spelling and spacing, and the request target and body unchanged. Only
/// Content-Length comes from curl, as the last field.
///
/// The only behaviour of curl this relies on is its order of start line and fields. curl adds
/// nothing to a complete head: User-Agent, Accept, Content-Type and Expect are switched off if
/// absent.
public struct CurlCommand: Sendable, Hashable, CustomStringConvertible {
    /// The parts of the request that the command does not send.
    public let omissions: [CurlOmission]
    /// The shell command whose output is piped to curl's standard input, or nil if there is none.
    private let input: String?
    /// Options with their values, quoted, in curl's order; the URL is the last.
    private let words: [String]

    /// The description of a request that cannot be a command.
    public static let unavailableDescription = "$ curl command could not be created"

    /// Creates a command for a captured request, or returns nil if the head could not be parsed, or
    /// for CONNECT, which starts a tunnel and is not a request to a server. Extended CONNECT (RFC
    /// 8441) is supported: curl requests its protocol as in HTTP/1.1.
    ///
    /// A request that was sent to a proxy in absolute form is sent directly to its server: in
    /// origin form and without the fields for the proxy.
    public init?(_ request: Request, options: CurlOptions = CurlOptions()) {
        guard let head = request.head, let url = request.url, !head.isClassicConnect else {
            return nil
        }
        let opening = CurlOpening(head)
        var builder = CurlCommandBuilder(method: opening.method, url: url, options: options)
        builder.addTarget(head.target.first == UInt8(ascii: "/") ? Array(head.target) : url.origin)
        builder.addVersion(opening.version)
        let wasForProxy = head.target.first != UInt8(ascii: "/")
        var body = CurlBody.bytes(request.body.kept)
        if request.body.kept.isEmpty, opening.isUpgrade || !request.body.isTruncated {
            body = .none
        } else if request.body.isTruncated {
            let missing = request.body.byteCount - Int64(request.body.kept.count)
            builder.omissions.append(.bodyEnd(byteCount: missing))
        }
        builder.add(
            fields: opening.fields,
            authority: head.pseudoField(":authority").map { Array(head.bytes[$0.valueRange]) },
            body: body, wasForProxy: wasForProxy)
        if request.trailers?.isEmpty == false { builder.omissions.append(.trailers) }
        self.init(builder)
    }

    /// Creates a command for a request that has not been sent, or returns nil for CONNECT.
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

    /// The command for a shell. `isVerbose` adds `-v`.
    public func text(_ layout: CurlLayout, isVerbose: Bool = false) -> String {
        let pipe = input.map { $0 + " | " } ?? ""
        let program = isVerbose ? "curl -v" : "curl"
        return pipe + ([program] + words).joined(separator: layout.separator)
    }

    /// The verbose command after a prompt, one option per line.
    public var description: String { "$ " + text(.multiLine, isVerbose: true) }
}
