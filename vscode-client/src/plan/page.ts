/** The frame of the page. What is drawn comes as a message and becomes text nodes: no text of a script is in here. */

export interface Parts {
  readonly nonce: string;
  /** Where styles may come from. */
  readonly source: string;
  readonly script: string;
  readonly style: string;
}

export function pageOf({ nonce, source, script, style }: Parts): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${source}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plan</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main id="plan" aria-live="polite"></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
