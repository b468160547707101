public import ProxydHTTPModel

/// Header fields under the name that users of Alamofire know.
public typealias HTTPHeaders = HeaderFields

extension HeaderFields: ExpressibleByDictionaryLiteral {
    /// Fields in the order they are written; names may repeat.
    public init(dictionaryLiteral elements: (String, String)...) {
        self.init(elements.map { (name: $0.0, value: $0.1) })
    }
}

extension HeaderFields {
    /// Adds a line behind the others, whatever lines of the name there are.
    public mutating func add(name: String, value: String) { append(name: name, value: value) }

    /// Puts one line in place of all of the name: at the place of the first, or at the end.
    public mutating func update(name: String, value: String) { set(name: name, value: value) }

    /// Removes all lines of a name.
    public mutating func remove(name: String) { removeAll(named: name) }

    /// Adds a line unless there is one of the name.
    public mutating func setIfAbsent(name: String, value: String) {
        if self[name] == nil { append(name: name, value: value) }
    }
}
