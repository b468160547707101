extension Style.Role {
    /// The colour for the class of a status code; a code outside all classes counts as a server
    /// error.
    package static func ofStatus(_ status: Int) -> Style.Role {
        switch status {
        case 100..<200: .informational
        case 200..<300: .success
        case 300..<400: .redirection
        case 400..<500: .clientError
        default: .serverError
        }
    }
}
