internal import ProxydHTTPModel

/// A name in a rules file that the daemon's configuration must define.
public struct RuleReference: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The line of the file that contains it.
    public let line: Int
}

/// The upstream proxy that a rule chooses.
public enum RuleUpstream: Sendable, Hashable {
    /// None: the server is connected to directly.
    case direct
    /// The configured one with this name.
    case named(RuleReference)

    /// The value in a rules file.
    var text: String {
        switch self {
        case .direct: "direct"
        case .named(let reference): reference.name
        }
    }
}

extension RuleSet {
    /// The upstream proxies that rules name.
    public var namedUpstreams: [RuleReference] {
        connectVerbs.compactMap { verb in
            if case .via(.named(let reference)) = verb { reference } else { nil }
        }
    }

    /// The client certificates that rules name.
    public var namedCertificates: [RuleReference] {
        connectVerbs.compactMap { verb in
            if case .clientCertificate(let reference) = verb { reference } else { nil }
        }
    }

    private var connectVerbs: [RuleVerb] {
        rules.flatMap { $0.actions(in: .connect) }.map(\.verb)
    }
}
