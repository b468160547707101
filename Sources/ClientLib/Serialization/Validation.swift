public import ProxydHTTPModel
internal import ProxydParameterCoding
public import FoundationEssentials

extension ClientRequest {
    @discardableResult
    public func validate<Codes: Sequence & Sendable>(statusCode acceptable: Codes) -> Self
    where Codes.Element == Int {
        addValidator { completion throws(ClientError) in
            guard let status = completion.response?.status else { return }
            guard acceptable.contains(status) else {
                throw ClientError(.responseValidationFailed(.unacceptableStatusCode(code: status)))
            }
        }
    }

    /// Rejects responses whose content type is not one of the acceptable ones; `*` matches any type
    /// or subtype. Responses without a body always pass.
    @discardableResult
    public func validate(contentType acceptable: [String]) -> Self {
        addValidator { completion throws(ClientError) in
            try ContentTypeValidation.check(completion, acceptable)
        }
    }

    /// Rejects responses whose status is not 200…299, or whose content type the request's Accept
    /// does not include.
    @discardableResult
    public func validate() -> Self {
        validate(statusCode: 200..<300).addValidator { completion throws(ClientError) in
            let accepted = completion.request?.fields.values(named: "Accept") ?? []
            try ContentTypeValidation.check(
                completion, accepted.isEmpty ? ["*/*"] : ContentTypeValidation.types(in: accepted))
        }
    }

    func addValidator(
        throwing validation: @escaping @Sendable (RequestOutcome, ResponseHead) throws -> Void
    ) -> Self {
        addValidator { completion throws(ClientError) in
            guard let response = completion.response else { return }
            do {
                try validation(completion, response)
            } catch {
                throw .wrapping(error, as: .responseValidationFailed(.custom))
            }
        }
    }

    @discardableResult
    func addValidator(
        _ validate: @escaping @Sendable (RequestOutcome) throws(ClientError) -> Void
    ) -> Self {
        core.configure { $0.validators.append(Validator(validate: validate)) }
        return self
    }
}

extension DataCollectingRequest {
    /// Rejects responses for which `validation` throws; the body is nil if there is none.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead, [UInt8]?) throws -> Void
    ) -> Self {
        addValidator(throwing: { completion, response in
            try validation(completion.request, response, completion.data)
        })
    }
}

extension DownloadRequest {
    /// Rejects responses for which `validation` throws. It gets the file with the body before it is
    /// moved: a rejected file never reaches its destination.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead, URL?) throws -> Void
    ) -> Self {
        addValidator(throwing: { completion, response in
            let file = completion.filePath.map { URL(filePath: $0) }
            try validation(completion.request, response, file)
        })
    }
}

extension DataStreamRequest {
    /// Rejects responses for which `validation` throws; the body has been delivered in pieces.
    @discardableResult
    public func validate(
        _ validation: @escaping @Sendable (HTTPRequest?, ResponseHead) throws -> Void
    ) -> Self {
        addValidator(throwing: { completion, response in
            try validation(completion.request, response)
        })
    }
}

enum ContentTypeValidation {
    static func check(_ completion: RequestOutcome, _ acceptable: [String]) throws(ClientError) {
        guard let response = completion.response, completion.hasBody else { return }
        guard let value = response.fields.value(.contentType), let type = MediaType(value) else {
            if acceptable.contains(where: { essence(of: $0) == "*/*" }) { return }
            throw ClientError(
                .responseValidationFailed(.missingContentType(acceptable: acceptable)))
        }
        guard acceptable.contains(where: { matches(type.essence, pattern: $0) }) else {
            throw ClientError(
                .responseValidationFailed(
                    .unacceptableContentType(acceptable: acceptable, actual: type.essence)))
        }
    }

    /// The media ranges of Accept values; those with `q=0` are not acceptable (RFC 9110 §12.5.1).
    static func types(in accepted: [String]) -> [String] {
        accepted.flatMap { $0.split(separator: ",") }.compactMap { range in
            let parts = range.split(separator: ";").map {
                String($0.filter { $0 != " " && $0 != "\t" }).lowercased()
            }
            guard let type = parts.first, !type.isEmpty else { return nil }
            let quality = parts.dropFirst().first { $0.hasPrefix("q=") }
            if let quality, Double(quality.dropFirst(2)) == 0 { return nil }
            return type
        }
    }

    private static func matches(_ essence: String, pattern: String) -> Bool {
        let wanted = self.essence(of: pattern).split(
            separator: "/", omittingEmptySubsequences: false)
        let actual = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == 2, actual.count == 2 else { return false }
        return zip(wanted, actual).allSatisfy { $0 == "*" || $0 == $1 }
    }

    private static func essence(of pattern: String) -> String {
        pattern.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}

extension RequestOutcome {
    /// Whether any bytes of a body arrived, including those a consumer took.
    var hasBody: Bool { data?.isEmpty == false || receivedByteCount > 0 }
}

/// The content types that a response may have, as the program lists them or its request's Accept
/// asks for.
public struct AcceptedContentTypes: Sendable, Hashable {
    private struct Choice: Sendable, Hashable {
        let pattern: ContentTypePattern
        let isAccepted: Bool
    }

    private var choices: [Choice]

    /// Creates the set from types and ranges. Invalid entries match nothing.
    public init(_ texts: some Sequence<String>) {
        choices = texts.compactMap(ContentTypePattern.init).map {
            Choice(pattern: $0, isAccepted: true)
        }
    }

    /// The types in a request's Accept lines, where `q=0` means not acceptable (RFC 9110 §12.5.1);
    /// every type if there is no such line, or none that can be parsed.
    public init(accept fields: HeaderFields) {
        choices = fields.values(named: "Accept").flatMap { line in
            AcceptedContentTypes.members(of: Array(line.utf8)).compactMap { member in
                ContentTypePattern(ASCII.text(member)).map {
                    Choice(pattern: $0, isAccepted: !AcceptedContentTypes.hasNoWeight(member))
                }
            }
        }
        if choices.isEmpty { choices = [Choice(pattern: .any, isAccepted: true)] }
    }

    /// The accepted patterns in their original order.
    public var patterns: [ContentTypePattern] { choices.filter(\.isAccepted).map(\.pattern) }

    /// Whether a type is accepted; the most specific matching pattern decides.
    public func accepts(_ type: ContentTypePattern) -> Bool {
        let matching = choices.filter { $0.pattern.matches(type) }
        let best = matching.map(\.pattern.specificity).max()
        return matching.contains { $0.isAccepted && $0.pattern.specificity == best }
    }

    /// Whether a response's content is accepted: an empty body always is, one without a type only
    /// if every type is, and one with an invalid type never.
    public func accepts(contentType: String?, isBodyEmpty: Bool) -> Bool {
        if isBodyEmpty { return true }
        guard let contentType else { return patterns.contains(.any) }
        return ContentTypePattern(contentType).map(accepts) ?? false
    }

    /// The members of a list; commas within quoted strings do not separate.
    private static func members(of bytes: [UInt8]) -> [[UInt8]] {
        var members: [[UInt8]] = [[]]
        var isQuoted = false
        var isEscaped = false
        for byte in bytes {
            if byte == UInt8(ascii: ","), !isQuoted {
                members.append([])
                continue
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && byte == UInt8(ascii: "\\") && !isEscaped
            members[members.count - 1].append(byte)
        }
        return members
    }

    /// Whether the member has a weight of zero: `q=0`, `q=0.0` and the like.
    private static func hasNoWeight(_ member: [UInt8]) -> Bool {
        let weight = member.filter { !ASCII.isOWS($0) }.map(ASCII.lowercased)
            .split(separator: UInt8(ascii: ";")).dropFirst().first { $0.starts(with: "q=".utf8) }
        guard let weight else { return false }
        let digits = weight.dropFirst(2)
        return !digits.isEmpty && digits.allSatisfy { $0 == 0x30 || $0 == UInt8(ascii: ".") }
    }
}

/// A content type or a range of content types: `text/html`, `image/*`, `*/*` (RFC 9110 §12.5.1).
public struct ContentTypePattern: Sendable, Hashable, CustomStringConvertible {
    /// The type in lower case; `*` for any.
    public let type: String
    /// The subtype in lower case; `*` for any.
    public let subtype: String

    /// Parses a type; parameters after a semicolon are ignored. Nil if there is no slash, or no
    /// text on one of its sides.
    public init?(_ text: String) {
        let essence = text.utf8.prefix { $0 != UInt8(ascii: ";") }.map(ASCII.lowercased)
        let parts = essence.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (type, subtype) = (trimmed(parts[0]), trimmed(parts[1]))
        guard !type.isEmpty, !subtype.isEmpty else { return nil }
        self.type = type
        self.subtype = subtype
    }

    public static let any = ContentTypePattern(type: "*", subtype: "*")

    private init(type: String, subtype: String) {
        self.type = type
        self.subtype = subtype
    }

    public var description: String { "\(type)/\(subtype)" }

    /// Whether the range includes another type; a star on either side matches any.
    public func matches(_ other: ContentTypePattern) -> Bool {
        (type == "*" || other.type == "*" || type == other.type)
            && (subtype == "*" || other.subtype == "*" || subtype == other.subtype)
    }

    /// How specific the pattern is; larger is more specific.
    var specificity: Int { (type == "*" ? 0 : 1) + (subtype == "*" ? 0 : 2) }
}

private func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let all = Array(bytes)
    return ASCII.text(all[ASCII.trimmingOWS(all.span, 0..<all.count)])
}
