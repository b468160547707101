internal import ProxydHTTPModel

extension HeaderFields {
    /// Returns the list members in all lines with this name, as written.
    func listMembers(of name: FieldName) -> [String] {
        var members: [String] = []
        for line in lines where line.name == name {
            ListMembers.forEach(bytes.span, line.valueRange) {
                members.append(ASCII.text(bytes[$0]))
            }
        }
        return members
    }

    /// Whether a line's list has a member, which is given in lower case.
    func hasMember(_ lowercase: StaticString, in line: Line) -> Bool {
        let bytes = self.bytes.span
        var isFound = false
        ListMembers.forEach(bytes, line.valueRange) { member in
            if ASCII.equalsIgnoringCase(bytes.extracting(member), lowercase) { isFound = true }
        }
        return isFound
    }

    /// The members of all Connection lines, in lower case.
    var connectionTokens: [String] {
        guard first(.connection) != nil else { return [] }
        return listMembers(of: .connection).map { token in
            String(decoding: token.utf8.map(ASCII.lowercased), as: UTF8.self)
        }
    }
}
