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
