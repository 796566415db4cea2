/** The key that a shared server asks for. */
export const clientKey = {
  title: "Client key",
  wanted: "This server wants a client key before it shows anything.",
  unknown: "The server doesn't know this client key.",
  how: "Whoever runs the server makes one with precis serve --new-key NAME.",
  label: "Client key",
  help: "Kept in this tab only: a reload keeps it, and closing the tab forgets it.",
  go: "Use this key",
  inUse: "The page uses the client key that you gave it. It is kept in this tab only.",
  forget: "Forget the key",
};
