;;; emacs_session.el --- One session in Emacs, played by tests/editors/test_emacs.py  -*- lexical-binding: t; -*-

;; An engineer edits a job, looks, mends, compares, commits.  What could be seen goes to a file as JSON.  Emacs stays in
;; its own command loop all the time: a timer looks whether what a step waits for is there, and takes the next step.
;; Keys are pressed, commands are called by what the documentation says.

(require 'cl-lib)
(require 'json)

;; A busy machine is no failure: a question may take as long as a step.
(require 'jsonrpc)
(setq jsonrpc-default-request-timeout 60)

(defvar session-plan (let ((json-object-type 'plist))
                       (json-read-file (getenv "KEEPSTATE_PLAN"))))
(defvar session-seen nil)
(defvar session-job (get-file-buffer (plist-get session-plan :file)))
(defvar session-steps nil "What is still to be done: lists of a name, a condition, and what to do when it holds.")
(defvar session-limit nil "When to stop waiting.")

(defun session-wish (key) (plist-get session-plan key))

(defun session-note (key value) (push (cons key value) session-seen))

(defun session-finish (failure)
  (when failure
    (session-note 'failure failure)
    (session-note 'conversation
                  (mapcar (lambda (buffer) (with-current-buffer buffer (buffer-string)))
                          (cl-remove-if-not (lambda (buffer) (string-match-p "EGLOT\\|Messages" (buffer-name buffer)))
                                            (buffer-list)))))
  (let ((coding-system-for-write 'utf-8))
    (with-temp-file (session-wish :seen) (insert (json-encode session-seen))))
  (let ((kill-emacs-query-functions nil)) (kill-emacs)))

(defun session-go-on ()
  (condition-case failure
      (let ((step (car session-steps)))
        (cond ((null step) (session-finish nil))
              ((with-current-buffer session-job (funcall (nth 1 step)))
               (setq session-steps (cdr session-steps)
                     session-limit (time-add nil (session-wish :patience)))
               (with-current-buffer session-job (funcall (nth 2 step))))
              ((time-less-p session-limit nil)
               (session-finish (concat "did not come: " (car step))))))
    (error (session-finish (format "%s: %S" (caar session-steps) failure)))))

(defmacro session-step (name condition &rest actions)
  "As soon as CONDITION holds, do ACTIONS; both in the buffer of the job."
  (declare (indent 2))
  `(setq session-steps
         (append session-steps (list (list ,name (lambda () ,condition) (lambda () ,@actions))))))

(defun session-press (keys)
  (setq unread-command-events (append unread-command-events (listify-key-sequence (kbd keys)))))

(defun session-answer (text)
  "Put TEXT into the minibuffer that asks for something, and press RET."
  (with-selected-window (active-minibuffer-window) (insert text))
  (session-press "RET"))

(defun session-go-to-job ()
  (delete-other-windows)
  (switch-to-buffer session-job))

(defun session-go-to (code)
  (session-go-to-job)
  (goto-char (flymake-diagnostic-beg (session-finding code)))
  ;; The window keeps its own point.
  (set-window-point (selected-window) (point)))

(defun session-findings ()
  (sort (flymake-diagnostics) (lambda (one other) (< (flymake-diagnostic-beg one) (flymake-diagnostic-beg other)))))

(defun session-finding (code)
  (or (cl-find-if (lambda (one) (string-match-p (regexp-quote code) (flymake-diagnostic-text one))) (session-findings))
      (error "No finding %s" code)))

(defun session-described (finding)
  (let ((begin (flymake-diagnostic-beg finding)))
    `((text . ,(buffer-substring-no-properties begin (flymake-diagnostic-end finding)))
      (line . ,(line-number-at-pos begin))
      (column . ,(save-excursion (goto-char begin) (- (point) (line-beginning-position))))
      (type . ,(symbol-name (flymake-diagnostic-type finding)))
      (message . ,(flymake-diagnostic-text finding)))))

(defun session-text () (buffer-substring-no-properties (point-min) (point-max)))

(defun session-text-of (regexp)
  "The text of a buffer in a window whose name matches REGEXP."
  (let ((window (cl-find-if (lambda (window) (string-match-p regexp (buffer-name (window-buffer window))))
                            (window-list))))
    (and window (with-current-buffer (window-buffer window) (session-text)))))

(defun session-inlays ()
  "What is written into the text, with what stands before it in its line."
  (delq nil (mapcar (lambda (overlay)
                      (let ((text (overlay-get overlay 'after-string))
                            (end (overlay-end overlay)))
                        (when (and text (overlay-get overlay 'eglot--inlay-hint))
                          (concat (save-excursion (goto-char end)
                                                  (buffer-substring-no-properties (line-beginning-position) end))
                                  (substring-no-properties text)))))
                    (overlays-in (point-min) (point-max)))))

(session-step "the server" (and (eglot-current-server) (eglot-managed-p)
                                (string-match-p "unchanged" (or keepstate-status "")))
  (session-note 'eglot_shows_inlays (if (fboundp 'eglot-inlay-hints-mode) t :json-false))
  (session-note 'status_before keepstate-status)
  (mapc (lambda (edit)
          (goto-char (point-min))
          (search-forward (plist-get edit :old))
          (replace-match (plist-get edit :new) t t))
        (session-wish :edits))
  ;; What Emacs does when nobody types, it does once for each time that somebody typed.
  (session-press "C-f C-b"))

(session-step "the findings" (and (= (length (session-findings)) (length (session-wish :edits)))
                                  (string-match-p "Incompatible" keepstate-status))
  (session-note 'findings (vconcat (mapcar #'session-described (session-findings))))
  (session-note 'status keepstate-status))

(session-step "the inlay hints" (or (not (fboundp 'eglot-inlay-hints-mode))
                                    (cl-some (lambda (text) (string-match-p " starts empty$" text)) (session-inlays)))
  (session-note 'inlays (vconcat (session-inlays)))
  (session-go-to "aggregate-added")
  ;; ElDoc speaks when the cursor was moved.
  (session-press "C-f C-b"))

(session-step "the hover in the echo area" (string-match-p "Partly compatible" (or (current-message) ""))
  (session-note 'echo (substring-no-properties (current-message)))
  (session-press "C-h ."))

;; The finding at the cursor is told there as well, and may come before the hover.
(session-step "the hover" (string-match-p "Partly compatible" (or (session-text-of "eldoc") ""))
  (session-note 'hover (session-text-of "eldoc"))
  (session-go-to (session-wish :fix_on))
  (session-note 'titles (vconcat (mapcar (lambda (action) (plist-get action :title)) (eglot-code-actions (point)))))
  (session-press "C-c k a"))

(session-step "the question for a quick-fix" (active-minibuffer-window)
  (session-answer (cl-find-if (lambda (title) (string-prefix-p (session-wish :fix) title))
                              (cdr (assq 'titles session-seen)))))

(session-step "the fix" (and (not (active-minibuffer-window))
                             (= (length (session-findings)) (1- (length (session-wish :edits)))))
  (session-note 'mended (session-text))
  (session-note 'status_mended keepstate-status)
  (session-press "C-c k c"))

(session-step "the comparison" (session-text-of "\\.diff")
  (session-note 'comparison (session-text-of "\\.diff"))
  (session-note 'comparison_mode (symbol-name (buffer-local-value 'major-mode (window-buffer (selected-window)))))
  (session-go-to-job)
  (session-press "C-c k o"))

(session-step "the baseline" (session-text-of "shop\\.[0-9a-f]+\\.sql")
  (session-note 'baseline (session-text-of "shop\\.[0-9a-f]+\\.sql"))
  (session-go-to-job)
  (session-press "C-c k p"))

(session-step "the plan" (session-text-of "\\.plan\\.txt")
  (session-note 'plan (session-text-of "\\.plan\\.txt"))
  (session-go-to-job)
  (session-press "C-c k r"))

(session-step "the report" (session-text-of "keepstate-[0-9a-f]+\\.md")
  (session-note 'report (session-text-of "keepstate-[0-9a-f]+\\.md"))
  (session-go-to-job)
  (session-press "C-c k b"))

(session-step "the question for a baseline" (active-minibuffer-window)
  (session-answer (session-wish :tag)))

(session-step "the other baseline" (string-match-p (session-wish :tag) keepstate-status)
  (session-note 'status_of_tag keepstate-status)
  (session-press "C-c k b"))

(session-step "the question for the first baseline" (active-minibuffer-window)
  (session-answer ""))

(session-step "the first baseline" (string-match-p "HEAD" keepstate-status)
  (save-buffer)
  (session-press "C-c k d"))

(session-step "the question for an environment" (active-minibuffer-window)
  (session-press "RET"))

(session-step "the deployment" (and (not (active-minibuffer-window))
                                    (= 0 (call-process "git" nil nil nil "show-ref" "--quiet" (session-wish :deployed))))
  (unless (= 0 (call-process "git" nil "*commit*" nil "commit" "--quiet" "--all" "--message" "Count what is sold"))
    (error "%s" (with-current-buffer "*commit*" (buffer-string)))))

(session-step "the commit to count" (null (session-findings)))

(setq session-limit (time-add nil (session-wish :patience)))
(run-with-timer 0.02 0.02 #'session-go-on)

;;; emacs_session.el ends here
