extension HeaderFields: CustomStringConvertible {
    /// `Name: value`, one line each, in order. Secrets are included.
    public var description: String {
        pairs.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

extension ResponseHead: CustomStringConvertible {
    /// The status line and the fields, one line each. Secrets are included.
    public var description: String {
        let first = "\(version) \(status)" + (reason.isEmpty ? "" : " \(reason)")
        return fields.isEmpty ? first : "\(first)\n\(fields)"
    }
}
