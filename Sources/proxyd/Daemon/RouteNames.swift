internal import ProxydConfigurationText
internal import ProxydDaemonConfiguration
internal import ProxydRules

/// The upstream proxies and client certificates that rules may name.
struct RouteNames: Sendable {
    private let upstreams: [String]
    private let certificates: [String]

    /// The names in a configuration.
    /// - Throws: the mistakes in the environment's proxy variables, if they are used.
    init(
        _ configuration: Configuration, environment: [String: String]
    ) throws(ConfigurationError) {
        upstreams = try configuration.allUpstreams(environment).map(\.name)
        certificates = configuration.clientCertificates.map(\.name)
    }

    /// Rejects rules that name what the configuration does not have.
    /// - Throws: each mistake with its line.
    func check(_ rules: RuleSet, of file: String) throws(ConfigurationError) {
        let problems =
            problems(rules.namedUpstreams, among: upstreams, "upstream", file)
            + problems(
                rules.namedCertificates, among: certificates, "client_certificate", file)
        if !problems.isEmpty { throw ConfigurationError(problems: problems) }
    }

    private func problems(
        _ references: [RuleReference], among names: [String], _ table: String, _ file: String
    ) -> [ConfigurationProblem] {
        references.filter { !names.contains($0.name) }.map { reference in
            let hint = NearMiss.hint(for: reference.name, among: names)
            return ConfigurationProblem(
                location: "\(file):\(reference.line)",
                message: "the configuration has no [[\(table)]] named \"\(reference.name)\"\(hint)")
        }
    }
}
