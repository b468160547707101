// One `import ClientLib` brings the values that requests and parameters are made of.
@_exported public import HTTPModel
@_exported public import ParameterCoding
