public import ProxydHTTPModel

/// Credentials and challenges of NTLM and Negotiate. They authenticate the connection, not the
/// request: whoever sends over it afterwards is taken for the same user (RFC 4559 §6).
extension HeaderFields {
    /// Whether there are such credentials or challenges, for a server or for a proxy.
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

    /// Whether one of a line's challenges, or its credentials, are of such a scheme. A comma within
    /// a quoted string counts, too: what looks like a challenge to any client is one.
    private func namesConnectionScheme(_ line: Line) -> Bool {
        let octets = self.octets.span
        var isFound = false
        ListMembers.forEach(octets, line.valueRange) { member in
            var end = member.lowerBound
            while end < member.upperBound, !ASCII.isOWS(octets[end]) { end &+= 1 }
            let scheme = octets.extracting(member.lowerBound..<end)
            if ASCII.equalsIgnoringCase(scheme, "ntlm")
                || ASCII.equalsIgnoringCase(scheme, "negotiate")
            {
                isFound = true
            }
        }
        return isFound
    }
}
