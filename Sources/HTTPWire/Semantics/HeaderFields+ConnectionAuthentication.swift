public import ProxydHTTPModel

/// Credentials and challenges of NTLM and Negotiate. They authenticate the connection rather than
/// the request: later requests on it are attributed to the same user (RFC 4559 §6).
extension HeaderFields {
    /// Whether the fields contain such credentials or challenges, for a server or a proxy.
    public var authenticateConnection: Bool {
        let lines = self.lines.span
        for index in lines.indices {
            switch lines[index].name {
            case .authorization, .proxyAuthorization, .wwwAuthenticate, .proxyAuthenticate:
                if namesConnectionScheme(lines[index]) { return true }
            default: continue
            }
        }
        return false
    }

    /// Whether a line's credentials or one of its challenges use such a scheme. Commas within
    /// quoted strings are treated as separators too, because anything that looks like a challenge
    /// to some client counts as one.
    private func namesConnectionScheme(_ line: Line) -> Bool {
        let bytes = self.bytes.span
        var isFound = false
        ListMembers.forEach(bytes, line.valueRange) { member in
            var end = member.lowerBound
            while end < member.upperBound, !ASCII.isOWS(bytes[end]) { end &+= 1 }
            let scheme = bytes.extracting(member.lowerBound..<end)
            if ASCII.equalsIgnoringCase(scheme, "ntlm")
                || ASCII.equalsIgnoringCase(scheme, "negotiate")
            {
                isFound = true
            }
        }
        return isFound
    }
}
