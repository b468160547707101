public import ProxydHTTPModel

/// A gRPC call as a grpcurl command that bash and dash run: the metadata of its request, its
/// messages as JSON, its method.
///
/// What gRPC libraries say themselves (te, content-type, grpc-encoding and its kin) is left to
/// grpcurl, which knows messages by the server's reflection unless `-protoset` names a file.
public struct GRPCurlCommand: Sendable, Hashable {
    /// Field lines that no command can hold: a line end or NUL within them.
    public let omittedFields: [String]
    /// What is written into grpcurl's standard input, as a shell command; nil where nothing is.
    private let input: String?
    /// Options with their values, quoted; the server and the method are the last.
    private let words: [String]

    /// Linux takes no word over 128 KiB; longer messages go through standard input.
    private static let wordByteCountMax = 65_536

    /// What grpcurl says itself, or says in an option of its own.
    private static let ownNames: Set = [
        "te", "content-type", "content-length", "host", "connection", "proxy-connection",
        "transfer-encoding", "user-agent", "proxy-authorization", "accept-encoding",
    ]

    /// A command for a request to a method, `package.Service/Method`, with messages as JSON texts;
    /// nil where the head or the URL could not be read.
    public init?(_ request: Request, method: String, messages: [String]) {
        guard let head = request.head, let url = request.url else { return nil }
        var words: [String] = url.scheme == "https" ? [] : ["-plaintext"]
        var omitted: [String] = []
        let authority = head.pseudoField(":authority").map { Array(head.octets[$0.valueRange]) }
        if let authority, !authority.elementsEqual(url.authority.utf8) {
            words.append("-authority " + ShellWord.quoted(authority))
        }
        for line in head.fields.lines {
            guard let word = GRPCurlCommand.option(line, head.fields, &omitted) else { continue }
            words.append(word)
        }
        let data = messages.joined(separator: "\n")
        if data.utf8.count > GRPCurlCommand.wordByteCountMax {
            input = "printf '%s' \(ShellWord.quoted(data))"
            words.append("-d @")
        } else {
            input = nil
            if !messages.isEmpty { words.append("-d " + ShellWord.quoted(data)) }
        }
        let host = url.host.utf8.contains(UInt8(ascii: ":")) ? "[\(url.host)]" : url.host
        words.append(ShellWord.quoted("\(host):\(url.port)"))
        words.append(ShellWord.quoted(method))
        self.words = words
        omittedFields = omitted
    }

    /// The option that stands for a field; nil where grpcurl says it itself, or no command can.
    private static func option(
        _ line: HeaderFields.Line, _ fields: HeaderFields, _ omitted: inout [String]
    ) -> String? {
        let name = fields.name(of: line).lowercased()
        let value = Array(fields.octets[line.valueRange])
        guard !value.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
            omitted.append(name)
            return nil
        }
        switch name {
        case "user-agent": return "-user-agent " + ShellWord.quoted(value)
        case "grpc-timeout":
            return GRPCTimeout.seconds(String(decoding: value, as: UTF8.self)).map {
                "-max-time \($0)"
            }
        case _ where ownNames.contains(name) || name.hasPrefix("grpc-"): return nil
        default:
            return "-H " + ShellWord.quoted(Array("\(name): ".utf8) + value)
        }
    }

    /// The command as a shell runs it.
    public func text(_ layout: CurlLayout) -> String {
        let pipe = input.map { $0 + " | " } ?? ""
        return pipe + (["grpcurl"] + words).joined(separator: layout.separator)
    }
}
