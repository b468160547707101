public import ProxydHTTPModel

/// Header fields, under Alamofire's name.
public typealias HTTPHeaders = HeaderFields

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Creates fields in the order they are written; names may repeat.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}

extension HeaderFields {
    /// Appends a line, even if there are lines with the same name.
    public mutating func add(name: String, value: String) { append(name: name, value: value) }

    /// Replaces all lines of a name with one: at the position of the first, or at the end.
    public mutating func update(name: String, value: String) { set(name: name, value: value) }

    /// Removes all lines of a name.
    public mutating func remove(name: String) { removeAll(named: name) }

    /// Appends a line unless there is one with the same name.
    public mutating func setIfAbsent(name: String, value: String) {
        if self[name] == nil { append(name: name, value: value) }
    }
}
