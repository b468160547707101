public import HTTPModel

// Names that code written for Alamofire uses, for what has another name here. They are other names
// for the same things and nothing else: ComingFromAlamofire.md lists them.

/// `Session.default`.
public let AF = Session.default

/// Parameters of mixed types, for variables; a call takes them as a literal just as well.
public typealias Parameters = [String: any Sendable]
