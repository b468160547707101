extension Style.Role {
    /// The colour of a status code's class; what is in none counts as an error of the server.
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
