internal import ProxydHTTPModel
internal import ProxydParameterCoding

/// Compares content types with the acceptable ones.
enum ContentTypeValidation {
    static func check(
        _ completion: RequestOutcome, _ acceptable: [String]
    ) throws(ClientError) {
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
