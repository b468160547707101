/// Domains under which anyone can register names, so that a cookie must not be set for all of them.
///
/// This is not a copy of the Public Suffix List, which has thousands of entries and changes weekly:
/// it includes every name of a single label, and a short list of well-known others. Programs that
/// need more can add to it.
public struct PublicSuffixes: Sendable, Hashable {
    /// Suffixes of more than one label, in lower case without a leading dot.
    public var suffixes: Set<String>

    /// Common second-level domains of countries and hosting services.
    public static let wellKnown = PublicSuffixes(
        Set(
            countries.flatMap { country, labels in labels.map { "\($0).\(country)" } } + [
                "appspot.com", "azurewebsites.net", "blogspot.com", "cloudfront.net",
                "firebaseapp.com", "fly.dev", "github.io", "gitlab.io", "herokuapp.com",
                "netlify.app", "onrender.com", "pages.dev", "s3.amazonaws.com", "vercel.app",
                "web.app", "workers.dev",
            ]))

    private static let countries: [(country: String, labels: [String])] = [
        ("ar", ["com", "gob", "net", "org"]), ("au", ["com", "edu", "gov", "id", "net", "org"]),
        ("br", ["com", "gov", "net", "org"]), ("cn", ["ac", "com", "edu", "gov", "net", "org"]),
        ("hk", ["com", "edu", "gov", "net", "org"]), ("id", ["ac", "co", "go", "or", "web"]),
        ("il", ["ac", "co", "gov", "net", "org"]), ("in", ["ac", "co", "gov", "net", "org"]),
        ("jp", ["ac", "ad", "co", "ed", "go", "gr", "lg", "ne", "or"]),
        ("kr", ["ac", "co", "go", "ne", "or", "re"]), ("mx", ["com", "edu", "gob", "net", "org"]),
        ("my", ["com", "edu", "gov", "net", "org"]),
        ("nz", ["ac", "co", "geek", "govt", "net", "org", "school"]),
        ("pl", ["com", "edu", "gov", "net", "org"]), ("sg", ["com", "edu", "gov", "net", "org"]),
        ("th", ["ac", "co", "go", "in", "net", "or"]), ("tr", ["com", "edu", "gov", "net", "org"]),
        ("tw", ["com", "edu", "gov", "net", "org"]), ("ua", ["com", "edu", "gov", "net", "org"]),
        ("uk", ["ac", "co", "gov", "ltd", "me", "net", "nhs", "org", "plc", "police", "sch"]),
        ("za", ["ac", "co", "gov", "net", "org", "web"]),
    ]

    /// Creates a list of these suffixes, in addition to all single labels.
    public init(_ suffixes: Set<String>) { self.suffixes = suffixes }

    /// Whether a canonical domain is a public suffix.
    public func contains(_ domain: String) -> Bool {
        !domain.contains(".") || domain.hasSuffix(".") || suffixes.contains(domain)
    }
}
