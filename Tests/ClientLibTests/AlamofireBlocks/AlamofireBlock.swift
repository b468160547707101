/// A block of code in the documentation of Alamofire 5.12.0, and what becomes of it when its import
/// is changed.
struct AlamofireBlock: Sendable {
    enum Page: String, Sendable { case readme, usage, advanced }

    enum Outcome: Sendable, Equatable {
        /// It compiles.
        case same
        /// It compiles, once something is mended that no compiler takes with Alamofire either.
        case mended(String)
        /// Something else is written: a row of ComingFromAlamofire.md says what, and why.
        case instead
        /// There is nothing to be compiled on Linux, with Alamofire or without.
        case none(String)
    }

    let page: Page
    /// Which block of the page it is, from 1; fences that are set in count, too.
    let number: Int
    let heading: String
    /// What it calls or declares.
    let calls: String
    let outcome: Outcome

    init(_ page: Page, _ number: Int, _ heading: String, _ calls: String, _ outcome: Outcome) {
        self.page = page
        self.number = number
        self.heading = heading
        self.calls = calls
        self.outcome = outcome
    }

    /// `usage7`, as the function that is its equivalent is called.
    var name: String { "\(page.rawValue)\(number)" }

    static let all = readmeRows + usageRows + advancedRows
}

// Made of what Alamofire 5.12.0 calls in its README.md, in order.

extension AlamofireBlock {
    /// The blocks of README.md.
    static let readmeRows: [AlamofireBlock] = [
        .init(
            .readme, 1, "Write Requests Fast!",
            "a request with retry, authentication, cache and redirects", .instead),
        .init(.readme, 2, "Swift Package Manager", "the dependency of a package", .instead),
        .init(.readme, 3, "Swift Package Manager", "the product Alamofire", .instead),
        .init(
            .readme, 4, "Swift Package Manager",
            "the product AlamofireDynamic", .none("Linux has no such product")),
        .init(.readme, 5, "CocoaPods", "a Podfile", .none("CocoaPods is Apple's platforms only")),
        .init(.readme, 6, "Carthage", "a Cartfile", .none("Carthage is Apple's platforms only")),
        .init(.readme, 7, "Embedded Framework", "git init", .none("a command, no code")),
        .init(.readme, 8, "Embedded Framework", "git submodule add", .none("a command, no code")),
    ]
}
