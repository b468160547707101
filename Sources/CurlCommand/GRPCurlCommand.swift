public import ProxydHTTPModel

/// A gRPC call as a grpcurl command for bash and dash: the metadata of its request, its messages as
/// JSON, and its method.
///
/// Fields that gRPC libraries send themselves (te, content-type, grpc-encoding and similar) are
/// left to grpcurl. It learns the message types through server reflection unless `-protoset` names
/// a file.
public struct GRPCurlCommand: Sendable, Hashable {
    /// The names of field lines that no command can contain: they have a line break or NUL.
    public let omittedFields: [String]
    /// The shell command whose output is piped to grpcurl's standard input, or nil.
    private let input: String?
    /// Options with their values, quoted; the server and the method are the last.
    private let words: [String]

    /// Linux does not accept an argument over 128 KiB; longer messages go through standard input.
    private static let wordByteCountMax = 65_536

    /// Fields that grpcurl sends itself, or that have an option of their own.
    private static let ownNames: Set = [
        "te", "content-type", "content-length", "host", "connection", "proxy-connection",
        "transfer-encoding", "user-agent", "proxy-authorization", "accept-encoding",
    ]

    /// Creates a command for a request to a method, `package.Service/Method`, with messages as JSON
    /// texts. Returns nil if the head or the URL could not be parsed.
    public init?(_ request: Request, method: String, messages: [String]) {
        guard let head = request.head, let url = request.url else { return nil }
        var words: [String] = url.scheme == "https" ? [] : ["-plaintext"]
        var omitted: [String] = []
        let authority = head.pseudoField(":authority").map { Array(head.bytes[$0.valueRange]) }
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

    /// The option for a field, or nil if grpcurl sends it itself or no command can.
    private static func option(
        _ line: HeaderFields.Line, _ fields: HeaderFields, _ omitted: inout [String]
    ) -> String? {
        let name = fields.name(of: line).lowercased()
        let value = Array(fields.bytes[line.valueRange])
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
        default: return "-H " + ShellWord.quoted(Array("\(name): ".utf8) + value)
        }
    }

    public func text(_ layout: CurlLayout) -> String {
        let pipe = input.map { $0 + " | " } ?? ""
        return pipe + (["grpcurl"] + words).joined(separator: layout.separator)
    }
}

/// The value of `grpc-timeout` (gRPC's PROTOCOL-HTTP2.md, "Timeout").
enum GRPCTimeout {
    /// The timeout in decimal seconds, `1.5` for `1500m`; nil if it is invalid.
    static func seconds(_ text: String) -> String? {
        let digits = text.dropLast()
        guard (1...8).contains(digits.utf8.count), let unit = text.last,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(digits)
        else { return nil }
        switch unit {
        case "H": return String(number * 3_600)
        case "M": return String(number * 60)
        case "S": return String(number)
        case "m": return decimal(number, places: 3)
        case "u": return decimal(number, places: 6)
        case "n": return decimal(number, places: 9)
        default: return nil
        }
    }

    private static func decimal(_ number: Int64, places: Int) -> String {
        let digits = String(number)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let fraction = padded.suffix(places).reversed().drop { $0 == "0" }.reversed()
        let whole = String(padded.dropLast(places))
        return fraction.isEmpty ? whole : "\(whole).\(String(fraction))"
    }
}
